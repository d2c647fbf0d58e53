// Package page draws results as one HTML file that needs nothing else: no network, no server, no other file. What comes
// in is a Document; HTML goes out. Read document.go first, then page.go.
//
// Every picture is an SVG that is drawn here, so that the page is complete without its script and pictures can be saved
// as they are. The script adds what a drawing cannot: a Gantt chart that zooms and tells what is under the pointer. For
// it the rows of schedules are packed into columns: differences as variable-length integers, names by what they share
// with the one before, deflated, in base64. Columns that results share are there once.
//
// What results say is not trusted: names reach the page through html/template, xml.EscapeText or JSON, and the script
// makes text of them, never markup. The page's content security policy names the digests of its own script and style
// and forbids everything else. What is written depends on the results alone: equal results are equal bytes.
package page

package msjo

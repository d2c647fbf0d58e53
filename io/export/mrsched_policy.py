"""Cluster policy of Airflow that gives tasks the priorities and pools of a plan of mrsched, and queues if it has them.

Put this file and mrsched_plan.json into a folder on the PYTHONPATH of the schedulers, such as $AIRFLOW_HOME/config, and
write into airflow_local_settings.py there: from mrsched_policy import task_policy

Airflow gives task instances these values when it creates the run of a DAG: runs that exist keep theirs. To change the
priorities of those that wait, in its database: python3 mrsched_policy.py | psql airflow
"""

import json
import os
import re

try:
    from airflow.task.priority_strategy import validate_and_load_priority_weight_strategy as weight_rule
except ImportError:  # Airflow before 2.9 takes the name

    def weight_rule(name):
        return name


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mrsched_plan.json"), encoding="utf-8") as plan:
    DAGS = json.load(plan)["dags"]


def task_policy(task):
    """Changes a task that the plan has, and leaves all others as they are."""
    wanted = DAGS.get(task.dag_id, {}).get(task.task_id)
    if wanted is None:
        return
    mapped = getattr(task, "partial_kwargs", None)  # of a mapped task
    for name, value in [*wanted.items(), ("weight_rule", weight_rule("absolute"))]:
        if mapped is None:
            setattr(task, name, value)
        else:
            mapped[name] = value


if __name__ == "__main__":
    for dag, tasks in DAGS.items():
        for task, wanted in tasks.items():
            if re.fullmatch(r"[\w.-]+", dag) and re.fullmatch(r"[\w.-]+", task):  # as Airflow has them
                print(
                    f"UPDATE task_instance SET priority_weight = {wanted['priority_weight']:d} WHERE dag_id = '{dag}' "
                    f"AND task_id = '{task}' AND (state IS NULL OR state IN ('scheduled', 'up_for_retry'));"
                )

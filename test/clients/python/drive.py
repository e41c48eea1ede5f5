"""The same as generated/drive.ts, through what openapi-python-client generated."""

import json
import os
import time

from flyball_api import AuthenticatedClient
from flyball_api.api.approvals import decide_approval, list_approvals
from flyball_api.api.runs import get_run, start_run
from flyball_api.models import DecideApprovalBody, DecideApprovalBodyVerdict, StartRunBody


def client(key):
    return AuthenticatedClient(base_url=os.environ["URL"], token=key)


starter, decider = client(os.environ["STARTER"]), client(os.environ["DECIDER"])
run = start_run.sync(client=starter, body=StartRunBody(agent="payer", input_={"amount": 7}))


def until(status):
    while True:
        now = get_run.sync(run.id, client=starter)
        if now.status.value == status:
            return now
        time.sleep(0.05)


until("suspended")
asked = list_approvals.sync(client=decider, run=run.id).items[0]
decide_approval.sync(asked.id, client=decider, body=DecideApprovalBody(verdict=DecideApprovalBodyVerdict.APPROVE))
outcome = until("done").outcome
print(json.dumps({"outcome": outcome.to_dict(), "refused": get_run.sync("run_0", client=starter).code}))

"""What a caller knows and the document cannot say: agents that are there, and inputs that they take."""

import os

import strict_refusals  # noqa: F401  registers its check
import schemathesis

INPUTS = {"desk": {"question": "tides"}, "plain": {"question": "tides"}, "payer": {"amount": 3}, "waiter": None}
OWN_KEY = os.environ.get("OWN_KEY")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Every other request that would name an unknown agent names one that is there, so that there is something to ask about."""
    if case.path_parameters.get("prefix") == OWN_KEY:
        case.path_parameters["prefix"] = "aaaaaaaa"  # whoever revokes the key they work with tries nothing after that
    if case.meta is None or not case.meta.generation.mode.is_positive or not isinstance(case.body, dict):
        return
    asked = case.body.get("agent")
    if not isinstance(asked, str) or asked in INPUTS or len(asked) % 2 == 1:
        return
    agent = sorted(INPUTS)[len(asked) // 2 % len(INPUTS)]
    if case.operation.path == "/v1/runs":
        case.body = {"agent": agent, "input": INPUTS[agent]}
    elif case.operation.path == "/v1/conversations":
        case.body = {"agent": "desk"}


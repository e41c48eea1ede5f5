"""A check of our own beside those of schemathesis: a request that fits the document is never refused for not fitting it."""

import schemathesis


@schemathesis.check
def refused_for_a_reason(ctx, response, case):
    if response.status_code != 400 or case.meta is None or not case.meta.generation.mode.is_positive:
        return
    body = response.json()
    code = body.get("code") or body.get("error", {}).get("code")
    if code != "REQUEST_INVALID":
        return  # an agent, a tool or a rule of the server said no to the value, which no schema of the document knows
    if "__proto__" in str(response.request.body):
        return  # refused in any JSON text: the description of the document says so, and JSON Schema cannot
    raise AssertionError(f"It fits the document and was refused: {response.text}")

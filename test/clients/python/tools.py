"""The mcp package against our servers, over stdio or HTTP: prints what it understood, as JSON."""

import json
import os
import sys

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


def transport():
    if "URL" in os.environ:
        bearer = httpx2.AsyncClient(headers={"authorization": f"Bearer {os.environ['KEY']}"}, timeout=60)
        return streamable_http_client(os.environ["URL"] + "/mcp", http_client=bearer)
    return stdio_client(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ)))


async def failure_of(call):
    try:
        result = await call
    except MCPError as error:
        return ["error", error.error.code]
    return ["result", result.is_error]


async def main(mode):
    progress = []

    async def on_progress(_progress, _total, message):
        progress.append(message)

    async with Client(transport(), mode=mode) as client:
        tools = await client.list_tools()
        answer = await client.call_tool("tide", {"port": "Bergen"}, progress_callback=on_progress)
        told = {
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools.tools],
            "answer": answer.content[0].text,
            "progress": len(progress) > 0,
            "misfit": await failure_of(client.call_tool("tide", {"harbor": 3})),
            "unknown": await failure_of(client.call_tool("nothing", {})),
            "asks": (await client.call_tool("pay_out", {"amount": 3})).content[0].text,
        }
        with anyio.move_on_after(2) as scope:
            await client.call_tool("agent__counter", {"input": {"to": 500, "pauseMs": 50}})
        told["given_up"] = scope.cancelled_caught
        told["after"] = (await client.call_tool("tide", {"port": "Oslo"})).content[0].text
    return told


print(json.dumps([anyio.run(main, mode) for mode in ("auto", "legacy")]))

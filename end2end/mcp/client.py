"""The official Python client against a server: python3 client.py URL TOKEN, or client.py --stdio DOCKET (with DOCKET_TOKEN set).

Needs `pip install mcp`. Lists, adds, reads, asks to delete, and reads a resource and a prompt; fails loudly.
"""
import asyncio
import os
import sys

from mcp import Client, StdioServerParameters


async def work(client):
    tools = (await client.list_tools()).tools
    assert len(tools) == 6, tools
    added = (await client.call_tool("add_task", {"title": "from Python", "due": "today"})).structured_content
    assert added["status"] == "created", added
    listed = (await client.call_tool("list_tasks", {"query": "from Python"})).structured_content
    assert listed["total"] >= 1, listed
    asked = await client.call_tool("delete_task", {"task_id": added["task_id"]})
    assert asked.is_error and asked.structured_content["error"] == "needs_approval", asked
    refused = await client.call_tool("get_task", {"task_id": 999_999})
    assert refused.is_error and refused.structured_content["error"] == "not_found", refused
    today = await client.read_resource("docket://tasks/today")
    assert "from Python" in today.contents[0].text
    prompt = await client.get_prompt("plan_my_day")
    assert "Docket" in prompt.messages[0].content.text
    print("python: ok")


async def main():
    if sys.argv[1] == "--stdio":
        env = {name: value for name, value in os.environ.items() if name.startswith("DOCKET_")}
        server = StdioServerParameters(command=sys.argv[2], args=["mcp", "--token-env", "DOCKET_TOKEN"], env=env)
        async with Client(server) as client:
            await work(client)
    else:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {sys.argv[2]}"}) as http:
            async with Client(streamable_http_client(sys.argv[1], http_client=http)) as client:
                await work(client)


asyncio.run(main())

"""The SDK for Python as a client: MODE COMMAND WORD... What it sees is printed as one JSON document."""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters


async def main(mode, command, *words):
    server = StdioServerParameters(command=command, args=list(words))
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        loaded = await client.call_tool("activate_skill", {"name": "pdf"})
        refused = await client.call_tool("activate_skill", {"name": "secret"})
        prompt = await client.get_prompt("pdf", {"arguments": "x.pdf"})
        read = await client.read_resource("skill://project-agents/pdf/references/forms.md")
        try:
            await client.read_resource("skill://project-agents/pdf/none.md")
            unknown = None
        except MCPError as error:
            unknown = error.error.code
        print(json.dumps({
            "version": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "loaded": loaded.content[0].text,
            "key": loaded.meta["skilltree/answer"]["key"],
            "refused": [refused.is_error, refused.content[0].text],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "prompt": prompt.messages[0].content.text,
            "resources": [resource.uri for resource in (await client.list_resources()).resources],
            "templates": [one.uri_template for one in (await client.list_resource_templates()).resource_templates],
            "read": read.contents[0].text,
            "unknown": unknown,
        }))


asyncio.run(main(*sys.argv[1:]))

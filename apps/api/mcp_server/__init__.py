"""The MCP server: the API's answers as short documents for coding agents. Only `server` imports the package `mcp`."""

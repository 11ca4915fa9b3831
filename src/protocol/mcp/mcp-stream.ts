/** The name of the stream at the control socket. */
export const MCP_STREAM = 'mcp';

import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { mcpCommand, type McpCommand } from '../shared/mcp-configuration.ts';

/** What an agent starts to reach this app by MCP: our command line, which lies beside us, run by the Node on PATH. */
export function mcpCommandOfApp(environment: Readonly<NodeJS.ProcessEnv>): McpCommand {
  const script = resolve(import.meta.dirname, '..', 'cli', 'main.js');
  return mcpCommand([nodeOnPath(environment), script], { environment, platform: process.platform });
}

/** By its path, since an agent may have another PATH; only its name where it is not found. */
function nodeOnPath({ PATH = '' }: Readonly<NodeJS.ProcessEnv>): string {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const files = PATH.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, name)]));
  return files.find(isExecutable) ?? 'node';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run: the next one is asked.
    return false;
  }
}

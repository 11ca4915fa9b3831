import { beforeAll, describe, expect, test } from 'vitest';
import { refusalsOf, type PlantedFile, type Refusal } from './planted-tree.ts';

interface Violation extends PlantedFile {
  /** Which gate must refuse it. The other may do so too. */
  readonly gate: Refusal['gate'];
  /** The rule, or the number of the compiler's message. */
  readonly code: string;
  /** Part of what is said, where the code alone could mean something else. */
  readonly says?: string;
}

const RESTRICTED_IMPORT = { gate: 'oxlint', code: 'eslint(no-restricted-imports)' } as const;
const OUTSIDE_OF_PROJECT = { gate: 'tsc', code: 'TS6307' } as const;
const NO_SUCH_NAME = { gate: 'tsc', code: 'TS2591' } as const;

/** `import` in the forms that a boundary could be slipped through. */
const forms = {
  value: (module: string) => `import { it } from '${module}';\nexport const copy = it;\n`,
  type: (module: string) => `import type { It } from '${module}';\nexport type Copy = It;\n`,
  again: (module: string) => `export { it } from '${module}';\n`,
  all: (module: string) => `export * from '${module}';\n`,
  late: (module: string) => `export async function load(): Promise<unknown> {\n  return import('${module}');\n}\n`,
};

/** What the planted files import, and what all of it may do. Neither gate may say a word about these. */
const innocent: readonly PlantedFile[] = [
  // For the compiler's cases: it tells of each stray file once, and of all that this file imports.
  ...['engine', 'protocol', 'cli', 'main'].map((layer) => module(`src/${layer}/leaf.ts`)),
  module('src/shared/ok.ts'),
  { path: 'src/shared/schema.ts', text: `import { z } from 'zod';\nexport const schema = z.string();\n` },
  { path: 'src/shared/ok.test.ts', text: testOf('./ok.ts') },
  module('src/engine/backend/ok.ts', 'node:child_process', '../../shared/ok.ts'),
  {
    path: 'src/engine/backend/pty-ok.ts',
    text: `import { spawn } from 'node-pty';\nimport { createRequire } from 'node:module';\nexport const made = [spawn, createRequire];\n`,
  },
  {
    path: 'src/engine/backend/child-environment.ts',
    text: `export function home(): string | undefined {\n  return process.env['HOME'];\n}\n`,
  },
  module('src/engine/budget/ok.ts', '../backend/ok.ts', '../../shared/ok.ts', 'node:fs'),
  module(
    'src/engine/session/ok.ts',
    '../backend/ok.ts',
    '../budget/ok.ts',
    '../terminal/ok.ts',
    '../../shared/ok.ts',
    'node:fs/promises',
    're2js',
  ),
  module('src/engine/terminal/testing/ok.ts', '../ok.ts', '../../session/ok.ts', 'fast-check'),
  module('src/engine/terminal/ok.ts', '../../shared/ok.ts', 'node:perf_hooks', '@xterm/headless'),
  module('src/engine/approval/ok.ts', '../../shared/ok.ts', 'node:path'),
  {
    path: 'src/engine/approval/parsers.ts',
    text: `import { parse } from 'unbash';\nimport { Parser } from 'web-tree-sitter';\nimport { z } from 'zod';\nexport const parsers = [parse, Parser, z];\n`,
  },
  module('src/engine/sandbox/ok.ts', '../../shared/ok.ts', 'node:path'),
  module('src/engine/network/ok.ts', '../../shared/ok.ts', 'node:net'),
  module('src/engine/exec/ok.ts', '../approval/ok.ts', '../sandbox/ok.ts', '../session/ok.ts', '../../shared/ok.ts'),
  module('src/engine/storage/ok.ts', '../session/ok.ts', '../../shared/ok.ts', 'node:fs'),
  module('src/engine/engine.ts', './exec/ok.ts', './storage/ok.ts', './session/ok.ts', '../shared/ok.ts', 'node:fs'),
  {
    path: 'src/engine/exec/ok.test.ts',
    text: testOf('./ok.ts', '../backend/ok.ts', '../engine.ts', 'node:child_process'),
  },
  module('src/protocol/rpc/ok.ts', '../../shared/ok.ts', 'node:http'),
  module('src/protocol/exec-server/exec-server-listener.ts', '../../engine/engine.ts', '../rpc/ok.ts', 'node:net'),
  {
    path: 'src/protocol/rpc/socket.ts',
    text: `import { WebSocket } from 'ws';\nexport const socket: object = WebSocket;\n`,
  },
  {
    path: 'src/protocol/mcp/mcp-server.ts',
    text: `import { McpServer } from '@modelcontextprotocol/server';\nimport { serveStdio } from '@modelcontextprotocol/server/stdio';\nexport const made: readonly unknown[] = [McpServer, serveStdio];\n`,
  },
  { path: 'src/protocol/rpc/ok.test.ts', text: testOf('./ok.ts', '../../engine/engine.ts', 'node:child_process') },
  module('src/cli/ok.ts', '../protocol/rpc/ok.ts', '../engine/engine.ts', '../shared/ok.ts', 'node:child_process'),
  { path: 'src/cli/main.ts', text: `export const home = process.env['HOME'];\n` },
  module(
    'src/main/ok.ts',
    '../protocol/exec-server/exec-server-listener.ts',
    '../engine/engine.ts',
    '../shared/ok.ts',
    'node:fs',
  ),
  {
    path: 'src/main/index.ts',
    text: `import { app } from 'electron';\nexport const home = [app, process.env['HOME']];\n`,
  },
  {
    path: 'src/main/ipc-router.ts',
    text: `import { ipcMain } from 'electron';\nexport const router: object = ipcMain;\n`,
  },
  module('src/preload/ok.ts', '../shared/ok.ts'),
  {
    path: 'src/preload/index.ts',
    text: `import { ipcRenderer } from 'electron';\nexport const ipc: object = ipcRenderer;\n`,
  },
  module('src/renderer/ok.ts', '../shared/ok.ts'),
  {
    path: 'src/renderer/main.tsx',
    text: `import { createRoot } from 'react-dom/client';\nexport const root = createRoot(document.body);\nroot.render(<p>ok</p>);\n`,
  },
  module('test/integration/ok.ts', '../../src/engine/backend/ok.ts', '../../src/cli/ok.ts', 'node:child_process'),
  {
    path: 'bench/soak/ok.ts',
    text: `import { it } from '../../src/engine/engine.ts';\nimport { spawn } from 'node-pty';\nconsole.log(it, spawn, process.env['HOME']);\n`,
  },
  module('bench/ok.ts', '../test/integration/ok.ts', '../src/shared/ok.ts', 'node:child_process'),
  { path: 'e2e/ok.spec.ts', text: `import type { It } from '../src/shared/ok.ts';\nexport type Copy = It;\n` },
  {
    path: 'scripts/ok.mjs',
    text: `import { execFileSync } from 'node:child_process';\nconsole.log(execFileSync('true'), process.env['HOME']);\n`,
  },
  { path: 'ok.config.ts', text: `export default { home: process.env['HOME'] };\n` },
  { path: 'src/shared/reason.ts', text: `try {\n  Math.sign(1);\n} catch {\n  // Nothing to undo.\n}\n` },
];

const violations: readonly Violation[] = [
  // shared ← everything, and imports nothing but zod
  {
    path: 'src/shared/bad-node.ts',
    text: forms.value('node:fs'),
    ...RESTRICTED_IMPORT,
    says: 'shared imports nothing',
  },
  { path: 'src/shared/bad-node-types.ts', text: forms.value('node:fs'), ...NO_SUCH_NAME },
  { path: 'src/shared/bad-process.ts', text: 'export const pid = process.pid;\n', ...NO_SUCH_NAME },
  { path: 'src/shared/bad-timer.ts', text: 'setTimeout(() => undefined, 1);\n', gate: 'tsc', code: 'TS2304' },
  { path: 'src/shared/bad-dom.ts', text: 'export const body = document.body;\n', gate: 'tsc', code: 'TS2584' },
  { path: 'src/shared/bad-electron.ts', text: forms.type('electron'), ...RESTRICTED_IMPORT },
  { path: 'src/shared/bad-engine.ts', text: forms.value('../engine/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/shared/bad-package.ts', text: forms.value('react'), ...RESTRICTED_IMPORT },

  // engine → shared, node:, node-pty
  { path: 'src/engine/bad-protocol.ts', text: forms.value('../protocol/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/engine/bad-protocol-type.ts', text: forms.type('../protocol/rpc/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/bad-main.ts', text: forms.late('../main/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/engine/bad-electron.ts', text: forms.value('electron'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/bad-electron-late.ts', text: forms.late('electron/main'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/bad-electron-all.ts', text: forms.all('electron'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/bad-children-old.ts', text: forms.value('child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/bad-pty.ts', text: forms.value('node-pty'), ...RESTRICTED_IMPORT },
  {
    path: 'src/engine/backend/bad-node-p-t-y.ts',
    text: forms.type('node-pty'),
    ...RESTRICTED_IMPORT,
    says: '*pty* files',
  },
  {
    path: 'src/engine/backend/bad-require.ts',
    text: forms.value('node:module'),
    ...RESTRICTED_IMPORT,
    says: 'engine/backend',
  },
  { path: 'src/engine/session/bad-ws.ts', text: forms.value('ws'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/exec/bad-dom.ts', text: 'export const body = document.body;\n', gate: 'tsc', code: 'TS2584' },
  { path: 'src/engine/new-room/bad-session.ts', text: forms.value('../session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/session/bad-protocol.test.ts', text: testOf('../../protocol/rpc/ok.ts'), ...RESTRICTED_IMPORT },

  // inside the engine: exec → approval, sandbox, session → backend, and nothing points back
  { path: 'src/engine/backend/bad-session.ts', text: forms.value('../session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/backend/bad-engine.ts', text: forms.type('../engine.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/backend/bad-budget.ts', text: forms.value('../budget/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/budget/bad-session.ts', text: forms.type('../session/ok.ts'), ...RESTRICTED_IMPORT },
  {
    path: 'src/engine/budget/bad-children.ts',
    text: forms.value('node:child_process'),
    ...RESTRICTED_IMPORT,
    says: 'engine/budget',
  },
  { path: 'src/engine/session/bad-exec.ts', text: forms.value('../exec/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/session/bad-storage.ts', text: forms.type('../storage/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/session/bad-approval.ts', text: forms.again('../approval/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/terminal/bad-session.ts', text: forms.type('../session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/terminal/bad-testing.ts', text: forms.value('./testing/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/terminal/testing/bad-main.ts', text: forms.type('../../../main/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/terminal/bad-xterm.ts', text: forms.value('@xterm/xterm'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/terminal/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/session/bad-headless.ts', text: forms.value('@xterm/headless'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/approval/bad-session.ts', text: forms.value('../session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/approval/bad-exec.ts', text: forms.type('../exec/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/approval/bad-sandbox.ts', text: forms.type('../sandbox/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/approval/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/sandbox/bad-parser.ts', text: forms.value('unbash'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/sandbox/bad-approval.ts', text: forms.type('../approval/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/sandbox/bad-backend.ts', text: forms.value('../backend/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/network/bad-sandbox.ts', text: forms.value('../sandbox/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/network/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/sandbox/bad-network.ts', text: forms.type('../network/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/sandbox/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/exec/bad-backend.ts', text: forms.value('../backend/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/exec/bad-storage.ts', text: forms.value('../storage/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/storage/bad-exec.ts', text: forms.value('../exec/ok.ts'), ...RESTRICTED_IMPORT },

  // protocol, cli, main → engine/engine.ts only
  { path: 'src/protocol/rpc/bad-inside.ts', text: forms.value('../../engine/session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/rpc/bad-inside-type.ts', text: forms.type('../../engine/exec/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/bad-inside.test.ts', text: testOf('../engine/exec/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/rpc/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/rpc/bad-electron.ts', text: forms.value('electron'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/mcp/bad-client.ts', text: forms.value('@modelcontextprotocol/client'), ...RESTRICTED_IMPORT },
  { path: 'src/engine/exec/bad-mcp.ts', text: forms.value('@modelcontextprotocol/server'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/rpc/bad-pty.ts', text: forms.value('node-pty'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/rpc/bad-cli.ts', text: forms.value('../../cli/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/protocol/rpc/bad-cli-types.ts', text: forms.type('../../cli/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/cli/bad-inside.ts', text: forms.late('../engine/session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/cli/bad-main.ts', text: forms.value('../main/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/cli/bad-electron.ts', text: forms.value('electron'), ...RESTRICTED_IMPORT },
  { path: 'src/cli/bad-ws.ts', text: forms.value('ws'), ...RESTRICTED_IMPORT },
  { path: 'src/main/bad-inside.ts', text: forms.value('../engine/session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/main/bad-protocol.ts', text: forms.value('../protocol/rpc/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/main/bad-renderer.ts', text: forms.type('../renderer/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/main/bad-cli.ts', text: forms.value('../cli/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/main/bad-children.ts', text: forms.value('node:child_process'), ...RESTRICTED_IMPORT },
  { path: 'src/main/bad-ws.ts', text: forms.value('ws'), ...RESTRICTED_IMPORT },

  // electron's raw channels
  {
    path: 'src/main/bad-ipc.ts',
    text: `import { ipcMain } from 'electron';\nexport const it: object = ipcMain;\n`,
    ...RESTRICTED_IMPORT,
    says: 'ipc-router',
  },
  {
    path: 'src/main/bad-ipc-2.ts',
    text: `import { ipcMain } from 'electron/main';\nexport const it: object = ipcMain;\n`,
    ...RESTRICTED_IMPORT,
    says: 'ipc-router',
  },
  {
    path: 'src/main/bad-ipc-3.ts',
    text: `import * as electron from 'electron';\nexport const it: object = electron;\n`,
    ...RESTRICTED_IMPORT,
    says: 'ipc-router',
  },
  {
    path: 'src/main/bad-ipc-4.ts',
    text: `import { ipcRenderer } from 'electron';\nexport const it: object = ipcRenderer;\n`,
    ...RESTRICTED_IMPORT,
  },
  { path: 'src/main/bad-ipc-5.ts', text: forms.late('electron/renderer'), ...RESTRICTED_IMPORT },

  // preload and renderer → shared only
  { path: 'src/preload/bad-renderer.ts', text: forms.type('../renderer/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/preload/bad-engine.ts', text: forms.value('../engine/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/preload/bad-node.ts', text: forms.value('node:fs'), ...RESTRICTED_IMPORT },
  { path: 'src/preload/bad-main.ts', text: forms.value('electron/main'), ...RESTRICTED_IMPORT },
  { path: 'src/renderer/bad-engine.ts', text: forms.value('../engine/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'src/renderer/bad-engine-type.ts', text: forms.type('../engine/engine.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/renderer/bad-preload.ts', text: forms.type('../preload/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/renderer/bad-electron.ts', text: forms.value('electron'), ...RESTRICTED_IMPORT },
  { path: 'src/renderer/bad-node.ts', text: forms.value('node:fs'), ...RESTRICTED_IMPORT },
  { path: 'src/renderer/bad-process.ts', text: 'export const pid = process.pid;\n', ...NO_SUCH_NAME },

  // tests, e2e and tools
  { path: 'test/integration/bad-renderer.ts', text: forms.value('../../src/renderer/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'test/integration/bad-main.ts', text: forms.value('../../src/main/leaf.ts'), ...OUTSIDE_OF_PROJECT },
  { path: 'test/integration/bad-electron.ts', text: forms.value('electron'), ...RESTRICTED_IMPORT },
  { path: 'bench/bad-renderer.ts', text: forms.value('../src/renderer/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'bench/bad-electron.ts', text: forms.value('electron'), ...RESTRICTED_IMPORT },
  { path: 'e2e/bad-engine.ts', text: forms.value('../src/engine/engine.ts'), ...RESTRICTED_IMPORT },
  {
    path: 'scripts/bad-electron.mjs',
    text: `import electron from 'electron';\nconsole.log(electron);\n`,
    ...RESTRICTED_IMPORT,
  },
  {
    path: 'scripts/bad-type.mjs',
    text: `/** @type {number} */\nexport const number = 'text';\n`,
    gate: 'tsc',
    code: 'TS2322',
  },
  { path: 'bad.config.ts', text: `export default 1 satisfies string;\n`, gate: 'tsc', code: 'TS1360' },

  // ways around the lists
  {
    path: 'src/engine/bad-form-require.ts',
    text: `export const it: unknown = require('electron');\n`,
    gate: 'oxlint',
    code: 'typescript(no-require-imports)',
  },
  {
    path: 'src/cli/bad-form-equals.ts',
    text: `import electron = require('electron');\nexport const it: object = electron;\n`,
    gate: 'oxlint',
    code: 'typescript(no-require-imports)',
  },
  {
    path: 'src/cli/bad-form-type.ts',
    text: `export type App = import('electron').App;\n`,
    gate: 'oxlint',
    code: 'typescript(consistent-type-imports)',
  },
  {
    path: 'src/cli/bad-form-bare.ts',
    text: forms.value('../engine/session/ok'),
    gate: 'oxlint',
    code: 'import(extensions)',
  },
  { path: 'src/cli/bad-form-dots.ts', text: forms.value('./../engine/session/ok.ts'), ...RESTRICTED_IMPORT },
  { path: 'src/cli/bad-form-dots-2.ts', text: forms.value('../shared/../engine/session/ok.ts'), ...RESTRICTED_IMPORT },

  // the environment
  {
    path: 'src/engine/session/bad-env.ts',
    text: `export const home = process.env['HOME'];\n`,
    gate: 'oxlint',
    code: 'eslint(no-restricted-properties)',
  },
  {
    path: 'src/protocol/rpc/bad-env.ts',
    text: `export const { env } = process;\n`,
    gate: 'oxlint',
    code: 'eslint(no-restricted-properties)',
  },
  {
    path: 'src/protocol/rpc/bad-env-2.ts',
    text: `export const home = globalThis.process.env['HOME'];\n`,
    gate: 'oxlint',
    code: 'eslint(no-restricted-properties)',
  },
  {
    path: 'src/engine/backend/bad-env.ts',
    text: `import { env } from 'node:process';\nexport const home = env['HOME'];\n`,
    ...RESTRICTED_IMPORT,
  },

  // rules that must stay on
  {
    path: 'src/engine/session/rule-promise.ts',
    text: `async function run(): Promise<void> {\n  await Promise.resolve();\n}\nrun();\n`,
    gate: 'oxlint',
    code: 'typescript(no-floating-promises)',
  },
  {
    path: 'src/engine/session/rule-promise-2.ts',
    text: `export function on(listen: (run: () => void) => void): void {\n  listen(async () => {\n    await Promise.resolve();\n  });\n}\n`,
    gate: 'oxlint',
    code: 'typescript(no-misused-promises)',
  },
  {
    path: 'src/engine/session/rule-switch.ts',
    text: `export function name(kind: 'pty' | 'pipe'): string {\n  switch (kind) {\n    case 'pty':\n      return 'terminal';\n    default:\n      return '';\n  }\n}\n`,
    gate: 'oxlint',
    code: 'typescript(switch-exhaustiveness-check)',
  },
  {
    path: 'src/engine/session/rule-any.ts',
    text: `export function keep(value: any): unknown {\n  return value;\n}\n`,
    gate: 'oxlint',
    code: 'typescript(no-explicit-any)',
  },
  {
    path: 'src/engine/session/rule-unsafe.ts',
    text: `export function parse(text: string): string {\n  return JSON.parse(text);\n}\n`,
    gate: 'oxlint',
    code: 'typescript(no-unsafe-return)',
  },
  {
    path: 'src/engine/session/rule-type-import.ts',
    text: `import { It } from '../../shared/ok.ts';\nexport type Copy = It;\n`,
    gate: 'oxlint',
    code: 'typescript(consistent-type-imports)',
  },
  {
    path: 'src/engine/session/rule-cycle-a.ts',
    text: `import { b } from './rule-cycle-b.ts';\nexport const a = (): unknown => b;\n`,
    gate: 'oxlint',
    code: 'import(no-cycle)',
  },
  {
    path: 'src/engine/session/rule-cycle-b.ts',
    text: `import { a } from './rule-cycle-a.ts';\nexport const b = (): unknown => a;\n`,
    gate: 'oxlint',
    code: 'import(no-cycle)',
  },
  {
    path: 'src/engine/session/rule-default.ts',
    text: `export default 1;\n`,
    gate: 'oxlint',
    code: 'import(no-default-export)',
  },
  { path: 'src/cli/rule-console.ts', text: `console.log('out');\n`, gate: 'oxlint', code: 'eslint(no-console)' },
  {
    path: 'src/engine/session/rule-empty.ts',
    text: `try {\n  Math.sign(1);\n} catch {}\n`,
    gate: 'oxlint',
    code: 'eslint(no-empty)',
  },
  {
    path: 'src/engine/session/rule-zero.ts',
    text: `export function told(exitCode: number | null): string {\n  return exitCode ? 'failed' : 'fine';\n}\n`,
    gate: 'oxlint',
    code: 'typescript(strict-boolean-expressions)',
  },
  {
    path: 'src/engine/session/rule-zero-2.ts',
    text: `export function code(exitCode: number | null): number {\n  return exitCode || -1;\n}\n`,
    gate: 'oxlint',
    code: 'typescript(prefer-nullish-coalescing)',
  },
  {
    path: 'src/engine/session/rule-cause.ts',
    text: `export function run(step: () => void): void {\n  try {\n    step();\n  } catch (error) {\n    throw new Error('the step failed');\n  }\n}\n`,
    gate: 'oxlint',
    code: 'eslint(preserve-caught-error)',
  },
  {
    path: 'src/engine/session/rule-directive.ts',
    text: `// oxlint-disable-next-line no-console\nexport const it = 1;\n`,
    gate: 'oxlint',
    code: '',
    says: 'Unused',
  },
  {
    path: 'src/engine/session/rule_name.ts',
    text: `export const it = 1;\n`,
    gate: 'oxlint',
    code: 'unicorn(filename-case)',
  },
  {
    path: 'src/renderer/rule-hooks.tsx',
    text: `import { useState } from 'react';\nexport function Pane(props: { readonly open: boolean }): React.ReactNode {\n  if (props.open) useState(0);\n  return null;\n}\n`,
    gate: 'oxlint',
    code: 'react-hooks(rules-of-hooks)',
  },
  {
    path: 'src/engine/exec/rule-only.test.ts',
    text: `import { expect, test } from 'vitest';\ntest.only('A1: it runs', () => {\n  expect(1).toBe(1);\n});\n`,
    gate: 'oxlint',
    code: 'vitest(no-focused-tests)',
  },
];

describe('the gates, each run once over a tree with one violation of each kind', () => {
  let refusals: readonly Refusal[] = [];

  // A tree for each gate: what is planted for lint may bring types of node into a project, where the compiler would
  // then see them in every file.
  beforeAll(async () => {
    const plantedFor = (gate: Refusal['gate']) => [...innocent, ...violations.filter((it) => it.gate === gate)];
    // One after the other: when one throws, none is left running on a folder that nobody clears away.
    const lint = await refusalsOf('oxlint', plantedFor('oxlint'));
    const types = await refusalsOf('tsc', plantedFor('tsc'));
    refusals = [...lint, ...types];
  }, 60_000);

  test.each(violations)('$gate refuses $path ($code)', ({ path, gate, code, says = '' }) => {
    const found = refusals.filter((refusal) => refusal.gate === gate && refusal.path === path);

    expect(
      found.filter((refusal) => refusal.code === code && refusal.text.includes(says)),
      format(found),
    ).not.toEqual([]);
  });

  test.each(innocent)('both let $path pass', ({ path }) => {
    expect(refusals.filter((refusal) => refusal.path === path)).toEqual([]);
  });

  test('nothing is refused in a file that was not planted', () => {
    const planted = new Set([...innocent, ...violations].map(({ path }) => path));

    expect(refusals.filter(({ path }) => !planted.has(path))).toEqual([]);
  });
});

/** A module that imports what it is given, and exports the value `it` and the type `It`. */
function module(path: string, ...imports: readonly string[]): PlantedFile {
  const lines = imports.map((name, index) => `import * as m${index} from '${name}';`);
  const list = imports.map((_, index) => `m${index}`).join(', ');
  return {
    path,
    text: [...lines, `export const it: readonly object[] = [${list}];`, 'export type It = number;', ''].join('\n'),
  };
}

/** A test that imports what it is given. */
function testOf(...imports: readonly string[]): string {
  const lines = imports.map((name, index) => `import * as m${index} from '${name}';`);
  const list = imports.map((_, index) => `m${index}`).join(', ');
  return [
    `import { expect, test } from 'vitest';`,
    ...lines,
    `test('it is there', () => {\n  expect([${list}]).not.toBeNull();\n});\n`,
  ].join('\n');
}

function format(found: readonly Refusal[]): string {
  return found.length === 0 ? 'nothing was refused' : found.map(({ code, text }) => `${code}: ${text}`).join('\n');
}

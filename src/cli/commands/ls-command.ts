import type { Command } from 'commander';
import { commandText, originName, stateWords } from '../../shared/session-words.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { shownText } from '../../shared/shown-text.ts';
import { finish } from '../cli-error.ts';
import { ageText } from '../duration.ts';
import { withHost } from '../host.ts';

/** `shellscope ls` */
export function addLsCommand(program: Command): void {
  program
    .command('ls')
    .alias('list')
    .description('list the sessions of the running host, live and ended')
    .option('-q, --quiet', 'print ids only', false)
    .option('--json', 'print everything that is known of each as a JSON array', false)
    .addHelpText(
      'after',
      '\nExamples:\n  shellscope ls\n  shellscope ls --json | jq -r \'.[] | select(.state == "running") | .id\'',
    )
    .action(({ quiet, json }: { readonly quiet: boolean; readonly json: boolean }) =>
      finish(async () => {
        const { sessions } = await withHost('ls', (host) => host.request('list', {}));
        if (json) {
          process.stdout.write(`${JSON.stringify(sessions)}\n`);
        } else if (quiet) {
          process.stdout.write(sessions.map(({ id }) => `${id}\n`).join(''));
        } else if (sessions.length === 0) {
          process.stderr.write('No sessions.\n');
        } else {
          process.stdout.write(table(sessions, Date.now(), process.stdout.isTTY ? process.stdout.columns : null));
        }
        return 0;
      }),
    );
}

/** `width`: columns of the terminal; null for no limit. The last column alone is cut. */
function table(sessions: readonly SessionInfo[], nowMs: number, width: number | null): string {
  const rows = [
    ['ID', 'STATE', 'CLIENT', 'AGE', 'COMMAND'],
    ...sessions.map((session) => [
      shownText(session.id),
      stateWords(session),
      originName(session.origin),
      ageText(nowMs - session.startedAtMs),
      commandText(session),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => {
      const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
      return `${width !== null && line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`;
    })
    .join('');
}

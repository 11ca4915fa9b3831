import { InvalidArgumentError, Option, type Command } from 'commander';
import { KEY_EXAMPLES, keyBytes } from '../../shared/key-bytes.ts';
import { finish } from '../cli-error.ts';

interface AttachArguments {
  readonly detachKey: Uint8Array;
  readonly resize?: boolean;
  readonly readOnly: boolean;
}

const DEFAULT_KEYS = 'C-\\ C-\\';

/** `shellscope attach ID` */
export function addAttachCommand(program: Command): void {
  program
    .command('attach')
    .description('put a session on this terminal: its output, and the keyboard')
    .argument('<id>', 'the session, or an abbreviation of its id')
    .addOption(
      new Option('--detach-key <keys>', 'what leaves the session: one key or several, separated by spaces')
        .default(detachKeys(DEFAULT_KEYS), 'Ctrl-\\ twice')
        .argParser(detachKeys),
    )
    .option('--resize', "give the session this terminal's size, and each new one (default: only your own sessions)")
    .option('--no-resize', 'leave its size alone')
    .option('--read-only', 'only watch', false)
    .addHelpText(
      'after',
      `
Shows what is retained of its output first. The session and its other viewers go on when you leave. Exits with 0 after you
left, and like the child when that ends.

Examples:
  shellscope attach 3
  shellscope attach 3 --detach-key 'C-a d'`,
    )
    .action((id: string, { detachKey, resize, readOnly }: AttachArguments) =>
      finish(async () => {
        const { attachSession } = await import('../attach-session.ts');
        return attachSession({ id, detachKeys: detachKey, resize: resize ?? null, readOnly });
      }),
    );
}

function detachKeys(name: string): Uint8Array {
  const keys = name.split(' ').filter((key) => key !== '');
  const bytes = keys.map((key) => keyBytes(key));
  if (keys.length === 0 || bytes.includes(null)) {
    throw new InvalidArgumentError(`It must be keys like ${KEY_EXAMPLES}, separated by spaces.`);
  }
  return Buffer.from(bytes.join(''));
}

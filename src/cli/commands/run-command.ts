import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { finish } from '../cli-error.ts';

interface RunArguments {
  readonly tty: boolean;
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly stdin: boolean;
  readonly detach: boolean;
}

/** `shellscope run -- CMD…` */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('run a command in a session of the running host, as if it ran here')
    .usage('[options] -- COMMAND [ARGUMENT…]')
    .argument('<command...>', 'the program and its arguments; write -- before it')
    .option('-t, --tty', 'on a terminal of this size, with this keyboard; without it on pipes', false)
    .option('-C, --cwd <folder>', 'where to run it (default: here)')
    .option('-e, --env <name=value>', 'a variable over those of this shell; may be given again', variable, {})
    .option('--name <id>', 'the id that the session shall have, and the title of its tab')
    .option('--no-stdin', 'give the command no input')
    .option('-d, --detach', 'print the id of the session and leave it running', false)
    .passThroughOptions()
    .addHelpText(
      'after',
      `
The session is a tab of the window, and stays there when the command has ended. Ctrl-C reaches the command; stdin, its end
too, and both outputs are passed on as they are. When this process is killed, the session runs on.

Exits with the command's code, or 128 and the number of the signal that ended it. 125: it could not be run, or the host
ended; 126: it cannot be executed; 127: there is no such program.

Examples:
  shellscope run -- npm test
  shellscope run --tty -- vim notes.txt
  tar c src | shellscope run --cwd /tmp -- tar x`,
    )
    .action((argv: string[], { tty, cwd, env, name, stdin, detach }: RunArguments) =>
      finish(
        async () => {
          const { runSession } = await import('../run-session.ts');
          return runSession({
            argv,
            tty,
            cwd: resolve(cwd ?? '.'),
            variables: env,
            name: name ?? null,
            stdin: stdin && !detach,
            detach,
          });
        },
        { ownsOutput: true },
      ),
    );
}

function variable(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals < 1) {
    throw new InvalidArgumentError('It must be NAME=VALUE.');
  }
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

import { Argument, type Command } from 'commander';
import { finish } from '../cli-error.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** `shellscope completion bash|zsh|fish` */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and ids')
    .addArgument(new Argument('<shell>', 'whose script').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Examples:
  echo 'eval "$(shellscope completion bash)"' >> ~/.bashrc
  echo 'eval "$(shellscope completion zsh)"' >> ~/.zshrc
  shellscope completion fish > ~/.config/fish/completions/shellscope.fish`,
    )
    .action((shell: Shell) =>
      finish(async () => {
        const { completionScript } = await import('../completion.ts');
        process.stdout.write(completionScript(shell, program));
        return 0;
      }),
    );
}

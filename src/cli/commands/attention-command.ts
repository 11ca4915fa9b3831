import type { Command } from 'commander';
import { finish } from '../cli-error.ts';

/** `shellscope attention`, and what can be answered to what it lists. */
export function addAttentionCommand(program: Command): void {
  const attention = program
    .command('attention')
    .description('what agents ask a person to do in a session, e.g. to type a password')
    .enablePositionalOptions()
    .option('--json', 'print everything that is known of each as a JSON array', false)
    .addHelpText(
      'after',
      `
Do it in the window or by \`shellscope attach ID\`, then tell the agent, which waits for the answer.

Examples:
  shellscope attention
  shellscope attention done 3
  shellscope attention decline 3 --say 'ask the admin'`,
    )
    .action(({ json }: { readonly json: boolean }) =>
      finish(async () => {
        const { listAttention } = await import('../attention.ts');
        return listAttention(json);
      }),
    );
  const answers = [
    { name: 'done', state: 'done', description: 'tell the agent that it is done' },
    { name: 'decline', state: 'declined', description: 'tell the agent that you will not do it' },
  ] as const;
  for (const { name, state, description } of answers) {
    attention
      .command(name)
      .description(description)
      .argument('<id>', 'the session, or an abbreviation of its id')
      .option('--say <words>', 'a word to the agent; never a password')
      .action((id: string, { say }: { readonly say?: string }) =>
        finish(async () => {
          const { answerAttention } = await import('../attention.ts');
          return answerAttention(id, { state, note: say ?? null });
        }),
      );
  }
}

import { Option, type Command } from 'commander';
import type { AllowFor } from '../answer-question.ts';
import { finish } from '../cli-error.ts';

/** `shellscope approvals`, and what can be done with what it lists. */
export function addApprovalsCommand(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('what agents want to run and a person has to decide; and what was allowed for longer than once')
    .enablePositionalOptions()
    .option('-f, --follow', 'go on, and tell of each question and how it is settled', false)
    .option('--json', 'print a JSON array; with --follow one object a line', false)
    .addHelpText(
      'after',
      `
Questions wait in the app, and in a host that was started with \`shellscope serve --approvals ask\`. An id may be
abbreviated: 3 for question-3. What is never asked, and what always, is in the settings; see docs/approvals.md.

Examples:
  shellscope approvals
  shellscope approvals allow 3 --for session
  shellscope approvals refuse 3 --say 'use pnpm'`,
    )
    .action(({ follow, json }: { readonly follow: boolean; readonly json: boolean }) =>
      finish(async () => {
        const { listQuestions } = await import('../list-questions.ts');
        return listQuestions({ follow, json });
      }),
    );
  approvals
    .command('allow')
    .description('let it run')
    .argument('<id>', 'the question, or its number')
    .addOption(
      new Option(
        '--for <time>',
        'once; session: the same again in this conversation, until the client leaves; always: by a rule in the settings',
      )
        .choices(['once', 'session', 'always'])
        .default('once'),
    )
    .option('--without-sandbox', 'also a second run without its sandbox, should that deny the first', false)
    .action((id: string, options: { readonly for: AllowFor; readonly withoutSandbox: boolean }, command: Command) => {
      if (options.for === 'always' && options.withoutSandbox) {
        command.error('error: a rule for always says nothing of a run without the sandbox; leave one of them out');
      }
      return finish(async () => {
        const { allowQuestion } = await import('../answer-question.ts');
        return allowQuestion(id, options);
      });
    });
  approvals
    .command('refuse')
    .description('do not let it run')
    .argument('<id>', 'the question, or its number')
    .option('--say <words>', 'what the agent is told, e.g. what to do instead')
    .action((id: string, { say }: { readonly say?: string }) =>
      finish(async () => {
        const { refuseQuestion } = await import('../answer-question.ts');
        return refuseQuestion(id, say ?? null);
      }),
    );
  approvals
    .command('grants')
    .description('what was allowed until a client leaves')
    .option('--json', 'print everything that is known of each as a JSON array', false)
    .action(({ json }: { readonly json: boolean }) =>
      finish(async () => {
        const { listGrants } = await import('../list-questions.ts');
        return listGrants(json);
      }),
    );
  approvals
    .command('revoke')
    .description('take back what was allowed; what it let start runs on')
    .argument('<id>', 'the grant, or its number')
    .action((id: string) =>
      finish(async () => {
        const { revokeGrant } = await import('../answer-question.ts');
        await revokeGrant(id);
        return 0;
      }),
    );
}

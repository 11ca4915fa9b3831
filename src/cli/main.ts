import { Command, Help, type Option } from 'commander';
import { APP_VERSION } from '../shared/version.ts';
import { EXIT } from './cli-error.ts';
import { addApprovalsCommand } from './commands/approvals-command.ts';
import { addAttachCommand } from './commands/attach-command.ts';
import { addAttentionCommand } from './commands/attention-command.ts';
import { addCloseCommand } from './commands/close-command.ts';
import { addCompletionCommand } from './commands/completion-command.ts';
import { addConnectCommand } from './commands/connect-command.ts';
import { addDoctorCommand } from './commands/doctor-command.ts';
import { addKillCommand } from './commands/kill-command.ts';
import { addLsCommand } from './commands/ls-command.ts';
import { addMcpCommand } from './commands/mcp-command.ts';
import { addOpenCommand } from './commands/open-command.ts';
import { addReadCommand } from './commands/read-command.ts';
import { addRunCommand } from './commands/run-command.ts';
import { addSendCommand } from './commands/send-command.ts';
import { addServeCommand } from './commands/serve-command.ts';
import { addWaitCommand } from './commands/wait-command.ts';

// A reader that went (`| head`) has what it wants.
process.stdout.on('error', () => process.exit(EXIT.bySignal + 13));
process.stderr.on('error', () => {});

const program = new Command('shellscope')
  .description('Hosts the shells of coding agents: agents drive sessions, a developer watches every one.')
  .version(APP_VERSION)
  .enablePositionalOptions()
  // Handed on to the commands that are added below.
  .configureHelp({ optionDescription })
  .showHelpAfterError('(shellscope --help lists what there is)')
  .addHelpText(
    'after',
    `
Sessions are those of the running host: the app, or \`shellscope serve\`. An id may be abbreviated: 7 for session-7.

Exit codes: 0 done; 1 not done; 2 wrong usage; 3 no host is running, or it ended; \`run\`, \`attach\` and \`wait\` have
more, see their help.`,
  )
  // Apart from 1, so that a script can tell a typing mistake from a failure. Help that was asked for is none.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.usage));

addOpenCommand(program);
addServeCommand(program);
addRunCommand(program);
addLsCommand(program);
addReadCommand(program);
addSendCommand(program);
addWaitCommand(program);
addAttachCommand(program);
addKillCommand(program);
addCloseCommand(program);
addApprovalsCommand(program);
addAttentionCommand(program);
addConnectCommand(program);
addDoctorCommand(program);
addMcpCommand(program);
addCompletionCommand(program);
for (const command of program.commands) {
  command.showHelpAfterError(`(shellscope ${command.name()} --help has its options)`);
}

await program.parseAsync();

/** Without a default that says nothing: a flag that is not set, a list without entries. */
function optionDescription(option: Option): string {
  const usual: unknown = option.defaultValue;
  const isEmpty = typeof usual === 'object' && usual !== null && Object.keys(usual).length === 0;
  return option.isBoolean() || isEmpty ? option.description : new Help().optionDescription(option);
}

import { Command, InvalidArgumentError, Option } from 'commander';
import { parseListenUrl, type ListenAddress } from '../protocol/exec-server/exec-server-listener.ts';
import { APP_VERSION } from '../shared/version.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { serve, serveStdio } from './serve.ts';

const program = new Command('shellscope')
  .description('Hosts the shells of coding agents: agents drive sessions, a developer watches every one.')
  .version(APP_VERSION)
  .showHelpAfterError('(shellscope --help lists what there is)');

program
  .command('serve')
  .description('host sessions without a window; agents connect by the exec-server protocol')
  .addOption(
    new Option(
      '--listen <url>',
      'ws://IP:PORT, where port 0 takes a free one, or stdio: one client, on stdin and stdout',
    )
      .default(parseListenUrl('ws://127.0.0.1:0'), 'ws://127.0.0.1:0')
      .argParser(listenAddress),
  )
  .option('--token-file <path>', 'file with the bearer token (mode 0600); made when it does not exist')
  .addOption(new Option('--no-auth', 'let everybody in who can reach the port; for tests'))
  .addHelpText(
    'after',
    '\nPrints the URL on the first line and the path of the token file on the second.\nGET /readyz answers 200. SIGTERM ends every child.\nOn stdio nothing but frames is printed, one a line; the end of stdin ends every child.',
  )
  .action(async ({ listen, tokenFile, auth }: ServeArguments, command: Command) => {
    if (listen !== 'stdio') {
      process.exitCode = await serve({ address: listen, tokenFile: tokenFile ?? null, auth });
    } else if (tokenFile !== undefined) {
      command.error('error: a token belongs to a WebSocket listener, not to stdio: leave --token-file out');
    } else {
      // Not by `exitCode`: what a client that stopped reading was still owed would keep this process for ever.
      process.exit(await serveStdio());
    }
  });

program
  .command('connect')
  .description('give a client a token of its own, and print what to put into its configuration')
  .argument('[name]', 'how the client is called in the window')
  .option('--list', 'show the clients that have a token', false)
  .option('--revoke <name>', "take a client's token back")
  .option('--json', 'print JSON', false)
  .action(async (name: string | undefined, options: Omit<ConnectOptions, 'name'>) => {
    process.exitCode = await connect({ ...options, name });
  });

interface ServeArguments {
  readonly listen: ListenAddress | 'stdio';
  readonly tokenFile?: string;
  readonly auth: boolean;
}

function listenAddress(text: string): ListenAddress | 'stdio' {
  if (text === 'stdio' || text === 'stdio://') {
    return 'stdio';
  }
  if (!text.startsWith('ws://')) {
    throw new InvalidArgumentError(`unsupported --listen URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\``);
  }
  try {
    return parseListenUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

await program.parseAsync();

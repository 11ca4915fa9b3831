import { Command, InvalidArgumentError, Option } from 'commander';
import { parseListenUrl, type ListenAddress } from '../protocol/exec-server/exec-server-listener.ts';
import { APP_VERSION } from '../shared/version.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { serve } from './serve.ts';

const program = new Command('shellscope')
  .description('Hosts the shells of coding agents: agents drive sessions, a developer watches every one.')
  .version(APP_VERSION)
  .showHelpAfterError('(shellscope --help lists what there is)');

program
  .command('serve')
  .description('host sessions without a window; agents connect by the exec-server protocol')
  .addOption(
    new Option('--listen <url>', 'where to listen; port 0 takes a free one')
      .default(parseListenUrl('ws://127.0.0.1:0'), 'ws://127.0.0.1:0')
      .argParser(listenAddress),
  )
  .option('--token-file <path>', 'file with the bearer token (mode 0600); made when it does not exist')
  .addOption(new Option('--no-auth', 'let everybody in who can reach the port; for tests'))
  .addHelpText(
    'after',
    '\nPrints the URL on the first line and the path of the token file on the second.\nGET /readyz answers 200. SIGTERM ends every child.',
  )
  .action(async ({ listen, tokenFile, auth }: ServeArguments) => {
    process.exitCode = await serve({ address: listen, tokenFile: tokenFile ?? null, auth });
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
  readonly listen: ListenAddress;
  readonly tokenFile?: string;
  readonly auth: boolean;
}

function listenAddress(text: string): ListenAddress {
  try {
    return parseListenUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

await program.parseAsync();

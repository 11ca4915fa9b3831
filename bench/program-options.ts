import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * The options that a program of bench/ was given. `--help` prints the usage and ends the process with 0, an option that
 * there is not with 2.
 */
export function programOptions<const T extends Options>(
  options: T,
  usage: string,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(usage, error);
  }
}

/** Ends the process with 2: what it was given cannot be used. */
export function refuse(usage: string, error?: unknown): never {
  if (error instanceof Error) {
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}

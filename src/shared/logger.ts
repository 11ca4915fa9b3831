/** Facts for a log line. Ids, lengths and codes only: never input, output, environment values or tokens. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Where a layer reports what it did. The composition root decides what becomes of it. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger that drops everything. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };

/**
 * A logger that writes warnings and errors as lines of text; what is only information is left out. Texts are quoted:
 * names that come from a client can neither break a line nor colour it.
 */
export function lineLogger(write: (line: string) => void): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
      write(`shellscope: ${level}: ${message}${facts.join('')}\n`);
    };
  return { info() {}, warn: at('warning'), error: at('error') };
}

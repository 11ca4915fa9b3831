import { constants } from 'node:os';

/** The name of a signal by its number on this system (`SIGTERM` for 15), or `SIG<n>` for one without a name. */
export function signalName(signal: number): string {
  const entry = Object.entries(constants.signals).find(([, value]) => value === signal);
  return entry?.[0] ?? `SIG${signal}`;
}

/** The number of a signal by its name, or null when this system has no such signal. */
export function signalNumber(name: string): number | null {
  return (constants.signals as Readonly<Record<string, number>>)[name] ?? null;
}

/** Facts of the machine that decide where a host keeps its files. */
export interface FolderFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As in `process.platform`. */
  readonly platform: string;
  /** Absolute path of the home folder. */
  readonly home: string;
  /** The person's folder for what ends with their log-in, where the environment does not say; null without one. */
  readonly userRuntime?: string | null;
}

/**
 * Where a host keeps what outlives it: `$SHELLSCOPE_STATE_DIR`, else the platform's place for state
 * (`$XDG_STATE_HOME/shellscope` or `~/.local/state/shellscope` on Linux).
 */
export function stateFolderOf({ environment, platform, home }: FolderFacts): string {
  const chosen = set(environment['SHELLSCOPE_STATE_DIR']);
  if (chosen !== null) {
    return chosen;
  }
  if (platform === 'darwin') {
    return `${home}/Library/Application Support/shellscope`;
  }
  if (platform === 'win32') {
    return `${set(environment['LOCALAPPDATA']) ?? `${home}\\AppData\\Local`}\\shellscope`;
  }
  return `${set(environment['XDG_STATE_HOME']) ?? `${home}/.local/state`}/shellscope`;
}

/**
 * Where a host keeps what ends with it, the control socket: `$SHELLSCOPE_RUNTIME_DIR`; `run` in a state folder that was
 * chosen, since whoever chose one wants a host of its own; `$XDG_RUNTIME_DIR/shellscope`, or what the system has for it: an
 * agent gives what it starts some variables only, and that is seldom among them; else `run` in the state folder.
 */
export function runtimeFolderOf(facts: FolderFacts): string {
  const { environment, platform, userRuntime = null } = facts;
  const chosen = set(environment['SHELLSCOPE_RUNTIME_DIR']);
  const ofTheSystem = set(environment['XDG_RUNTIME_DIR']) ?? userRuntime;
  if (chosen !== null) {
    return chosen;
  }
  if (set(environment['SHELLSCOPE_STATE_DIR']) === null && ofTheSystem !== null) {
    return `${ofTheSystem}/shellscope`;
  }
  return `${stateFolderOf(facts)}${platform === 'win32' ? '\\' : '/'}run`;
}

/** An empty variable means the same as none (XDG Base Directory Specification). */
function set(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

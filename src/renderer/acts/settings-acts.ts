import type { StoreApi } from 'zustand/vanilla';
import type { WindowApi } from '../../shared/ipc.ts';
import { problemSentence, type SettingsSnapshot, type SettingValue } from '../../shared/settings.ts';
import { failureText } from '../host-client.ts';

/** Percent. Rather small steps where they can be seen. */
const ZOOM_STEPS = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300];

const ZOOM = 'appearance.zoom';
const FONT_SIZE = 'terminal.fontSize';

interface SettingsActsOptions {
  readonly host: Pick<
    WindowApi,
    'readSettings' | 'changeSetting' | 'resetSetting' | 'openSettingsFile' | 'onSettingsChanged'
  >;
  /** Null until the host told them. */
  readonly settings: StoreApi<SettingsSnapshot | null>;
  readonly notify: (sentence: string) => void;
  /** Takes back what `notify` told. */
  readonly withdraw: (sentence: string) => void;
}

/** What the person can do with the settings, and how the window follows their file. */
export class SettingsActs {
  readonly #options: SettingsActsOptions;
  /** What steps have asked for and the host has not told yet: a key is pressed again sooner than the file is written. */
  readonly #asked = new Map<string, { value: number; waiting: number }>();

  constructor(options: SettingsActsOptions) {
    this.#options = options;
  }

  /** Follows the file until the answered function is called. */
  follow(): () => void {
    return this.#options.host.onSettingsChanged((snapshot) => this.#receive(snapshot));
  }

  /** Never rejects: without settings the window looks as it usually does. */
  async load(): Promise<void> {
    const { host, settings, notify } = this.#options;
    const before = settings.getState();
    try {
      const snapshot = await host.readSettings();
      // What was told meanwhile is newer than this answer.
      if (settings.getState() === before) {
        this.#receive(snapshot);
      }
    } catch (error) {
      notify(`The settings could not be loaded. ${failureText(error)}`);
    }
  }

  /** Changes one setting. Answers why it cannot have that value; null when it has it. */
  async change(path: string, value: SettingValue): Promise<string | null> {
    return reasonAgainst(this.#options.host.changeSetting(path, value));
  }

  /** Gives a setting its default, or all of them. */
  async reset(path: string | null): Promise<void> {
    await this.#orTell(this.#options.host.resetSetting(path), 'The settings were not reset.');
  }

  async openFile(): Promise<void> {
    await this.#orTell(this.#options.host.openSettingsFile(), 'The file was not opened.');
  }

  /** The next larger (1) or smaller (-1) zoom of the whole window, or the usual one (0). */
  zoom(direction: 1 | -1 | 0): void {
    const now = this.#valueOf(ZOOM, 100);
    const larger = ZOOM_STEPS.find((step) => step > now);
    const smaller = ZOOM_STEPS.findLast((step) => step < now);
    this.#step(ZOOM, direction === 0 ? null : direction === 1 ? larger : smaller);
  }

  /** The same for the terminals' font, by a pixel. */
  resizeFont(direction: 1 | -1 | 0): void {
    const { fields } = this.#options.settings.getState() ?? {};
    const input = fields?.find(({ path }) => path === FONT_SIZE)?.input;
    const next = this.#valueOf(FONT_SIZE, Number.NaN) + direction;
    const isAllowed = input?.kind === 'number' && next >= input.least && next <= input.most;
    this.#step(FONT_SIZE, direction === 0 ? null : isAllowed ? next : undefined);
  }

  /** Null: to the default. Undefined: there is no further step. */
  #step(path: string, value: number | null | undefined): void {
    const { host } = this.#options;
    if (value === undefined) {
      return;
    }
    if (value === null) {
      this.#asked.delete(path);
      void this.#orTell(host.resetSetting(path), 'It was not changed.');
      return;
    }
    const asked = this.#asked.get(path) ?? { value, waiting: 0 };
    asked.value = value;
    asked.waiting += 1;
    this.#asked.set(path, asked);
    const change = host.changeSetting(path, value).then(
      () => {
        asked.waiting -= 1;
      },
      (error: unknown) => {
        this.#asked.delete(path);
        throw error;
      },
    );
    void this.#orTell(change, 'It was not changed.');
  }

  /** What the next step goes on from. */
  #valueOf(path: string, otherwise: number): number {
    return this.#asked.get(path)?.value ?? Number(this.#options.settings.getState()?.shown[path] ?? otherwise);
  }

  async #orTell(act: Promise<unknown>, failure: string): Promise<void> {
    const reason = await reasonAgainst(act);
    if (reason !== null) {
      this.#options.notify(`${failure} ${reason}`);
    }
  }

  #receive(snapshot: SettingsSnapshot): void {
    const { settings, notify, withdraw } = this.#options;
    const before = settings.getState();
    settings.setState(snapshot, true);
    for (const [path, { waiting }] of this.#asked) {
      if (waiting === 0) {
        this.#asked.delete(path);
      }
    }
    const told = new Set(before === null ? [] : sentences(before));
    const wrong = new Set(sentences(snapshot));
    for (const sentence of told) {
      if (!wrong.has(sentence)) {
        withdraw(sentence);
      }
    }
    for (const sentence of wrong) {
      if (!told.has(sentence)) {
        notify(sentence);
      }
    }
  }
}

function sentences({ file, problems }: SettingsSnapshot): readonly string[] {
  return problems.map((problem) => problemSentence(file, problem));
}

async function reasonAgainst(act: Promise<unknown>): Promise<string | null> {
  try {
    await act;
    return null;
  } catch (error) {
    const reason = failureText(error);
    return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  }
}

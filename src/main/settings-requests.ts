import { app, shell } from 'electron';
import { EngineError } from '../shared/errors.ts';
import type { Handlers } from './ipc-router.ts';
import type { SettingsStore } from './settings-store.ts';

type SettingsHandlers = Pick<Handlers, Extract<keyof Handlers, `settings/${string}` | 'bell/ring'>>;

/** What the window asks of the settings. */
export function settingsRequests(settings: SettingsStore): SettingsHandlers {
  return {
    'settings/read': async () => settings.snapshot(hasScreenReader()),
    'settings/change': async (_sender, path, value) => {
      settings.change(path, value);
      return null;
    },
    'settings/reset': async (_sender, path) => {
      settings.reset(path);
      return null;
    },
    'settings/open-file': async () => {
      settings.makeFile();
      const { file } = settings.snapshot(false);
      const failure = await shell.openPath(file);
      if (failure !== '') {
        throw new EngineError('not-supported', `No program opened ${file}: ${failure}`);
      }
      return null;
    },
    'bell/ring': async () => {
      shell.beep();
      return null;
    },
  };
}

/** As the system tells; on Linux only where an assistive technology asked Chromium for its tree. */
export function hasScreenReader(): boolean {
  return app.accessibilitySupportEnabled;
}

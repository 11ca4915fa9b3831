import { useId, useState, type ReactNode } from 'react';
import type { SettingsField, SettingsSnapshot, SettingValue } from '../../shared/settings.ts';
import { useWindowModel } from '../window/window-model.ts';
import { SettingInput } from './setting-input.tsx';

/** One setting: its name, its value, what it does, and what is wrong with it. */
export function SettingRow({
  field,
  settings,
}: {
  readonly field: SettingsField;
  readonly settings: SettingsSnapshot;
}): ReactNode {
  const { controller } = useWindowModel();
  const id = useId();
  const [refusal, setRefusal] = useState<string | null>(null);
  const { path, title, description } = field;
  const isChanged = settings.changed.includes(path);
  const inFile = settings.problems.find((problem) => problem.path === path);
  const fault = refusal ?? (inFile === undefined ? null : `In the file, line ${inFile.line}: ${title} ${inFile.why}.`);
  const hint = settings.hints.find((candidate) => candidate.path === path)?.text ?? null;

  const change = async (value: SettingValue): Promise<void> =>
    setRefusal(await controller.settings.change(path, value));
  return (
    <div className="setting" data-path={path} data-changed={isChanged || undefined}>
      <label className="setting-title" htmlFor={`${id}-input`}>
        {title}
      </label>
      <span className="setting-state">
        {isChanged ? (
          <>
            <span className="setting-changed">changed</span>
            <button
              type="button"
              className="setting-reset"
              aria-label={`Reset ${title}`}
              onClick={(event) => {
                // The button goes with the change; the keyboard stays at the setting.
                event.currentTarget.closest('.setting')?.querySelector<HTMLElement>('input, select')?.focus();
                setRefusal(null);
                void controller.settings.reset(path);
              }}
            >
              Reset
            </button>
          </>
        ) : null}
      </span>
      <SettingInput
        id={`${id}-input`}
        describedBy={`${id}-about${fault === null ? '' : ` ${id}-fault`}`}
        isFaulty={fault !== null}
        field={field}
        value={settings.shown[path] ?? field.default}
        ownSchemes={Object.keys(settings.values.colourSchemes)}
        onChange={(value) => void change(value)}
      />
      <p className="setting-about" id={`${id}-about`}>
        {description}
        {hint === null ? null : <span className="setting-hint"> {hint}</span>}
      </p>
      <p className="setting-fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
    </div>
  );
}

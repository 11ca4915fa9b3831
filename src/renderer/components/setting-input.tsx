import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { BUNDLED_SCHEMES, THEME_COLOURS } from '../../shared/colour-schemes.ts';
import type { SettingsField, SettingValue } from '../../shared/settings.ts';
import { valueLabel } from '../settings-search.ts';

interface SettingInputProps {
  readonly id: string;
  readonly describedBy: string;
  readonly isFaulty: boolean;
  readonly field: SettingsField;
  readonly value: SettingValue;
  readonly ownSchemes: readonly string[];
  readonly onChange: (value: SettingValue) => void;
}

/** The control that fits what a setting can be. A choice counts at once, what is typed when it can be meant. */
export function SettingInput(props: SettingInputProps): ReactNode {
  const { input } = props.field;
  switch (input.kind) {
    case 'choice':
      return <Choice {...props} options={input.values.map((value) => ({ value, label: valueLabel(value) }))} />;
    case 'colour-scheme':
      return <Choice {...props} options={schemeOptions(props.ownSchemes, String(props.value))} />;
    case 'switch':
      return (
        <input
          {...common(props)}
          type="checkbox"
          checked={props.value === true}
          onChange={({ target }) => props.onChange(target.checked)}
        />
      );
    case 'text':
    case 'number':
      return <Typed {...props} />;
  }
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function Choice({ options, ...props }: SettingInputProps & { readonly options: readonly Option[] }): ReactNode {
  return (
    <select {...common(props)} value={String(props.value)} onChange={({ target }) => props.onChange(target.value)}>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Numbers within their bounds count as they are typed; everything else at Enter, or when the box is left. */
function Typed(props: SettingInputProps): ReactNode {
  const { input } = props.field;
  const [text, setText] = useState(String(props.value));
  const [known, setKnown] = useState(props.value);
  const meant = (): SettingValue => (input.kind === 'number' && text.trim() !== '' ? Number(text) : text);
  if (known !== props.value) {
    setKnown(props.value);
    // What somebody else changed, in the file or in another window, takes the place of what stands in the box.
    if (meant() !== props.value) {
      setText(String(props.value));
    }
  }
  const commit = (): void => {
    if (meant() !== props.value || props.isFaulty) {
      props.onChange(meant());
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      commit();
    }
  };
  const box = (
    <input
      {...common(props)}
      {...(input.kind === 'number'
        ? { type: 'number', min: input.least, max: input.most, step: input.step }
        : { type: 'text', placeholder: input.kind === 'text' ? input.placeholder : '', spellCheck: false })}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const number = Number(target.value);
        const isInBounds = input.kind === 'number' && number >= input.least && number <= input.most;
        if (isInBounds && target.value.trim() !== '' && (!input.isWhole || Number.isInteger(number))) {
          props.onChange(number);
        }
      }}
      onBlur={commit}
      onKeyDown={onKeyDown}
    />
  );
  return input.kind === 'number' && input.unit !== '' ? (
    <span className="setting-number">
      {box}
      <span>{input.unit}</span>
    </span>
  ) : (
    box
  );
}

function common({ id, describedBy, isFaulty }: SettingInputProps) {
  return { id, className: 'setting-input', 'aria-describedby': describedBy, 'aria-invalid': isFaulty || undefined };
}

/** The theme's own colours, the person's schemes, the bundled ones; and what is chosen though nothing is called so. */
function schemeOptions(own: readonly string[], chosen: string): readonly Option[] {
  const bundled = Object.keys(BUNDLED_SCHEMES).filter((name) => !own.includes(name));
  const known: readonly Option[] = [
    { value: THEME_COLOURS, label: 'Theme’s own' },
    ...own.map((name) => ({ value: name, label: `${name} (yours)` })),
    ...bundled.map((name) => ({ value: name, label: valueLabel(name) })),
  ];
  return known.some(({ value }) => value === chosen)
    ? known
    : [...known, { value: chosen, label: `${chosen} (not found)` }];
}

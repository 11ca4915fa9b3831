import type { ReactNode } from 'react';
import type { ProgramProgress } from '../../shared/session.ts';
import type { StateLook } from '../text/session-text.ts';

/** Every icon is beside a text or inside a named control, so none speaks for itself. */
function Icon({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const STATE_SHAPES: Readonly<Record<StateLook, ReactNode>> = {
  starting: <circle cx="8" cy="8" r="4.5" className="line" strokeDasharray="2.4 2.3" />,
  running: <path d="M5 3.6v8.8L12.4 8z" className="solid" />,
  // An hourglass.
  waiting: (
    <path d="M4.4 2.8h7.2M4.4 13.2h7.2M5.6 2.8v2.4L8 8l2.4-2.8V2.8M5.6 13.2v-2.4L8 8l2.4 2.8v2.4" className="line" />
  ),
  // A speech bubble with a sign in it.
  asking: <path d="M2.4 2.6h11.2v8.2H8.8L5.6 13.6v-2.8H2.4zM8 4.7v2.2m0 1.7v.1" className="line" />,
  succeeded: <path d="m3.2 8.4 3.2 3.2 6.4-7" className="line" />,
  failed: <path d="m4 4 8 8m0-8-8 8" className="line" />,
  killed: <path d="M4.5 4.5h7v7h-7z" className="solid" />,
  stopped: <path d="M4.5 4.5h7v7h-7z" className="solid" />,
  unknown: <path d="M5.6 5.8a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9m0 2.4v.1" className="line" />,
  lost: <path d="M5.6 5.8a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9m0 2.4v.1" className="line" />,
  'not-started': <path d="M8 2.6 14 13H2zM8 6.6v3m0 1.6v.1" className="line" />,
};

/** The state's shape; its colour comes from the `data-look` around it. */
export function StateIcon({ look }: { readonly look: StateLook }): ReactNode {
  return <Icon>{STATE_SHAPES[look]}</Icon>;
}

/** Where the ring of a progress runs, in units of the icon. */
const RING_RADIUS = 5.5;

/** A ring that closes with the percentage; dotted where there is none; with a sign in it when it stands. */
export function ProgressIcon({ progress: { kind, percent } }: { readonly progress: ProgramProgress }): ReactNode {
  return (
    <Icon>
      {percent === null ? (
        <circle cx="8" cy="8" r={RING_RADIUS} className="line" strokeDasharray="0.4 3.06" />
      ) : (
        <>
          <circle cx="8" cy="8" r={RING_RADIUS} className="line ring" />
          <circle
            cx="8"
            cy="8"
            r={RING_RADIUS}
            className="line"
            pathLength={100}
            strokeDasharray={`${percent} 100`}
            strokeLinecap="butt"
            transform="rotate(-90 8 8)"
          />
        </>
      )}
      {kind === 'paused' ? <path d="M6.6 6v4m2.8-4v4" className="line" /> : null}
      {kind === 'error' ? <path d="M8 5.4v3.2m0 2v.1" className="line" /> : null}
    </Icon>
  );
}

export function PlusIcon(): ReactNode {
  return (
    <Icon>
      <path d="M8 3.2v9.6M3.2 8h9.6" className="line" />
    </Icon>
  );
}

export function CloseIcon(): ReactNode {
  return (
    <Icon>
      <path d="m4.6 4.6 6.8 6.8m0-6.8-6.8 6.8" className="line" />
    </Icon>
  );
}

export function PlugIcon(): ReactNode {
  return (
    <Icon>
      <path d="M5.8 2.4v3.2m4.4-3.2v3.2M4 5.6h8v2.2a4 4 0 0 1-8 0zM8 11.8v2" className="line" />
    </Icon>
  );
}

export function ClockIcon(): ReactNode {
  return (
    <Icon>
      <circle cx="8" cy="8" r="5.6" className="line" />
      <path d="M8 4.8V8l2.2 1.6" className="line" />
    </Icon>
  );
}

export function ListIcon(): ReactNode {
  return (
    <Icon>
      <path d="M2.8 4.4h10.4M2.8 8h10.4M2.8 11.6h10.4" className="line" />
    </Icon>
  );
}

/** Points down on what is open; turned by its style on what is not. */
export function FoldIcon(): ReactNode {
  return (
    <Icon>
      <path d="m4.6 6.4 3.4 3.4 3.4-3.4" className="line" />
    </Icon>
  );
}

export function ArrowUpIcon(): ReactNode {
  return (
    <Icon>
      <path d="M8 12.6V3.6M4.2 7.2 8 3.4l3.8 3.8" className="line" />
    </Icon>
  );
}

export function ArrowDownIcon(): ReactNode {
  return (
    <Icon>
      <path d="M8 3.4v9m3.8-3.6L8 12.6 4.2 8.8" className="line" />
    </Icon>
  );
}

export function TickIcon(): ReactNode {
  return (
    <Icon>
      <path d="M3.2 8.6l3.2 3.2 6.4-7.4" className="line" />
    </Icon>
  );
}

export function KeyboardIcon(): ReactNode {
  return (
    <Icon>
      <path d="M1.8 4h12.4v8H1.8zM4.4 6.6h.1m2.3 0h.1m2.3 0h.1m2.3 0h.1M5 9.6h6" className="line" />
    </Icon>
  );
}

export function WarningIcon(): ReactNode {
  return <Icon>{STATE_SHAPES['not-started']}</Icon>;
}

export function SlidersIcon(): ReactNode {
  return (
    <Icon>
      <path d="M2.4 4.6h5.2m3.2 0h2.8M2.4 11.4h2.8m3.2 0h5.2" className="line" />
      <circle cx="9.2" cy="4.6" r="1.7" className="line" />
      <circle cx="6.8" cy="11.4" r="1.7" className="line" />
    </Icon>
  );
}

/** A large and a small letter. */
export function MatchCaseIcon(): ReactNode {
  return (
    <Icon>
      <path d="m1.6 12 3-8 3 8M2.7 9.4h3.8" className="line" />
      <path d="M13.8 7.4V12m0-2.3a2 2.2 0 1 1-4 0 2 2.2 0 0 1 4 0" className="line" />
    </Icon>
  );
}

/** A word with its two ends. */
export function WholeWordIcon(): ReactNode {
  return (
    <Icon>
      <path d="M2 9.6v3h12v-3" className="line" />
      <path d="M6.6 3.8v5.4m0-1.8a1.7 1.8 0 1 1-3.4 0 1.7 1.8 0 0 1 3.4 0" className="line" />
      <path d="M9.4 1.8v7.4m0-1.8a1.7 1.8 0 1 0 3.4 0 1.7 1.8 0 0 0-3.4 0" className="line" />
    </Icon>
  );
}

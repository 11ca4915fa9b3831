import type { ReactNode } from 'react';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { CloseIcon, WarningIcon } from './icons.tsx';

/** Failures of what the person asked for. They stay until dismissed: nobody has to be quick to read them. */
export function Notices(): ReactNode {
  const { controller } = useWindowModel();
  const notices = useWindowState((state) => state.notices);
  return (
    <div className="notices" role="alert" data-region="notices">
      {notices.map(({ id, text }) => (
        <div key={id} className="notice">
          <WarningIcon />
          <p>{text}</p>
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            data-region-target=""
            onClick={() => controller.notices.dismiss(id)}
          >
            <CloseIcon />
          </button>
        </div>
      ))}
    </div>
  );
}

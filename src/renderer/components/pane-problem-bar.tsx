import type { ReactNode, RefObject } from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import type { PaneProblem } from '../terminal/pane-problem.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useWindowModel } from '../window/window-model.ts';

/** Over a terminal that cannot show its session's output: why, and what can be done. */
export function PaneProblemBar({
  session,
  problem: { sentence, detail },
  showAgain,
}: {
  readonly session: SessionInfo;
  readonly problem: PaneProblem;
  /** What has the keyboard while the terminal takes none. */
  readonly showAgain: RefObject<HTMLButtonElement | null>;
}): ReactNode {
  const { controller, deck, platform } = useWindowModel();
  return (
    <div className="pane-problem" role="alert" data-region="problem">
      <p>{sentence}</p>
      <div className="actions">
        <button ref={showAgain} type="button" data-region-target="" onClick={() => deck.retry(session)}>
          Show it again
        </button>
        <button
          type="button"
          title={`${keyLabel('open-output', platform)}; as text, in your own program for it`}
          onClick={() => void controller.desktop.openOutput(session.id)}
        >
          Open full output
        </button>
      </div>
      {detail === null ? null : (
        <details>
          <summary>Details of the error</summary>
          <code>{detail}</code>
        </details>
      )}
    </div>
  );
}

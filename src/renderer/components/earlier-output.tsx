import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import type { EarlierView } from '../earlier/earlier-outputs.ts';
import { earlierNews, earlierWords } from '../earlier/find-words.ts';
import type { FindDirection } from '../terminal/terminal-search.ts';
import { keyLabel } from '../window/app-keys.ts';
import { usePaneWords, useWindowModel } from '../window/window-model.ts';

/** What a session printed before its pane's terminal begins, over that terminal, when the person goes there. */
export function EarlierOutput({
  session,
  isShown,
}: {
  readonly session: SessionInfo;
  readonly isShown: boolean;
}): ReactNode {
  const { earlier } = useWindowModel();
  const view = useStore(earlier.store, (all) => all.get(session.id) ?? null);
  useEffect(() => () => void earlier.back(session.id), [earlier, session.id]);
  return (
    <>
      {/* Present from the start, so that what appears in it is announced. */}
      <p className="visually-hidden" aria-live="polite">
        {view === null ? '' : earlierNews(view, session)}
      </p>
      {view === null || !isShown ? null : <EarlierPane session={session} view={view} />}
    </>
  );
}

/** Enter as in the box of the find, F3 as in browsers. */
function stepOf({ key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): FindDirection | null {
  if (ctrlKey || altKey || metaKey || (key !== 'Enter' && key !== 'F3')) {
    return null;
  }
  return (key === 'Enter') === shiftKey ? 'newer' : 'older';
}

function EarlierPane({ session, view }: { readonly session: SessionInfo; readonly view: EarlierView }): ReactNode {
  const { controller, earlier, platform } = useWindowModel();
  const section = useRef<HTMLElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const known = useRef(session);
  const paneWords = usePaneWords(session.id);
  const { stretch } = view;
  const words = earlierWords(view, session);
  const end = isLive(session.state) ? 'now' : 'the end';

  useLayoutEffect(() => {
    const covered = section.current?.parentElement?.querySelector<HTMLElement>('.pane') ?? null;
    if (host.current === null || covered === null) {
      return undefined;
    }
    // A key that is meant for what is seen must not reach the program beneath.
    const hadKeyboard = covered.contains(document.activeElement);
    const close = earlier.open(known.current, { host: host.current, covered });
    if (hadKeyboard) {
      earlier.focus(session.id);
    }
    return close;
  }, [earlier, session.id]);

  return (
    <section
      ref={section}
      className="earlier-output"
      aria-label={`Earlier output${paneWords}`}
      onKeyDown={(event) => {
        const step = host.current?.contains(event.target as Node) === true ? stepOf(event) : null;
        if (event.key === 'Escape') {
          event.preventDefault();
          controller.earlier.back(session.id);
        } else if (step !== null) {
          event.preventDefault();
          controller.earlier.step(session.id, step);
        }
      }}
    >
      <header>
        <p title={words}>{words}</p>
        <button
          type="button"
          disabled={stretch.startOffset <= stretch.keptFrom}
          onClick={() => void controller.earlier.goTo(session.id, Math.max(0, stretch.startOffset), 'bottom')}
        >
          Earlier
        </button>
        <button
          type="button"
          disabled={stretch.endOffset >= Math.max(stretch.outputEnd, session.outputBytes)}
          onClick={() => void controller.earlier.goTo(session.id, stretch.endOffset, 'top')}
        >
          Later
        </button>
        <button
          type="button"
          title={`Escape, or ${keyLabel('back-to-now', platform)}`}
          onClick={() => controller.earlier.back(session.id)}
        >
          Back to {end}
        </button>
      </header>
      <div className="earlier-frame">
        <div className="terminal-host" ref={host} />
      </div>
    </section>
  );
}

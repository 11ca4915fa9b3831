import { useState } from 'react';
import { useWindowModel } from './window-model.ts';

/**
 * For what takes the keyboard while it is shown. Answers the way back: to where the keyboard was when it was shown, or to
 * the pane in view when that has gone.
 */
export function useKeyboardReturn(): () => void {
  const { controller } = useWindowModel();
  const [before] = useState(() => document.activeElement);
  return () => {
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) {
      before.focus();
    } else {
      controller.panels.toSelectedPane();
    }
  };
}

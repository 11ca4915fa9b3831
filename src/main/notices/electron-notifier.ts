import { Notification } from 'electron';
import type { Notifier } from './system-notices.ts';

/** The desktop's own notifications; none where it has no service for them. */
export const electronNotifier: Notifier = {
  show({ title, body, onClick }) {
    if (!Notification.isSupported()) {
      return { withdraw: () => undefined };
    }
    const notification = new Notification({ title, body });
    notification.on('click', onClick);
    notification.show();
    return {
      withdraw: () => {
        notification.removeAllListeners();
        notification.close();
      },
    };
  },
};

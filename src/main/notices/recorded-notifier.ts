import type { Notifier } from './system-notices.ts';

/** A notification that would have been shown. */
export interface RecordedNotice {
  readonly title: string;
  readonly body: string;
  readonly isWithdrawn: boolean;
}

/** What tests find on `globalThis` of the main process, in an app that was started for them. */
export interface NoticeRecord {
  /** All so far, the oldest first. */
  readonly notices: readonly RecordedNotice[];
  /** Does what a click on it would do. */
  click(index: number): void;
}

declare global {
  var shellscopeTestNotices: NoticeRecord | undefined;
}

/** Shows nothing and keeps account, for tests alone: call it only when the app was started for them. */
export function recordedNotifier(): Notifier {
  const notices: (RecordedNotice & { readonly onClick: () => void })[] = [];
  globalThis.shellscopeTestNotices = {
    get notices() {
      return notices.map(({ title, body, isWithdrawn }) => ({ title, body, isWithdrawn }));
    },
    click: (index) => notices[index]?.onClick(),
  };
  return {
    show(notice) {
      const index = notices.push({ ...notice, isWithdrawn: false }) - 1;
      return {
        withdraw: () => {
          notices[index] = { ...notice, isWithdrawn: true };
        },
      };
    },
  };
}

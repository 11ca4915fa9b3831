import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import type { WantsOf } from './person-wants.ts';
import { SystemNotices } from './system-notices.ts';

const ID = 's1' as SessionId;
const wants = (...ids: readonly string[]): WantsOf => ({
  subject: 'session s1',
  session: ID,
  wants: ids.map((id) => ({ id, title: `title ${id}`, body: `body ${id}` })),
});

describe('notifications of the system', () => {
  let log: string[];
  let clicks: (() => void)[];
  let isFocused: boolean;
  let isOn: boolean;
  let notices: SystemNotices;

  beforeEach(() => {
    log = [];
    clicks = [];
    isFocused = false;
    isOn = true;
    notices = new SystemNotices({
      notifier: {
        show: ({ title, body, onClick }) => {
          log.push(`${title}: ${body}`);
          clicks.push(onClick);
          return { withdraw: () => log.push(`withdrawn ${title}`) };
        },
      },
      isFocused: () => isFocused,
      isOn: () => isOn,
      onClick: (session) => log.push(`to ${session}`),
    });
  });

  it('come once, are merged with what follows, and go when all of it is answered', () => {
    notices.update([wants('1')]);
    notices.update([wants('1')]);
    notices.update([wants('1', '2')]);
    notices.update([wants('2')]);
    notices.update([]);
    expect(log).toEqual([
      'title 1: body 1',
      'title 1: body 1\ntitle 2: body 2',
      'withdrawn title 1',
      'withdrawn title 1',
    ]);
  });

  it('do not come while a window has the keyboard, nor for it afterwards', () => {
    isFocused = true;
    notices.update([wants('1')]);
    notices.failed(ID, { id: 'failed', title: 'failed', body: '' });
    isFocused = false;
    notices.update([wants('1')]);
    expect(log).toEqual([]);
    notices.update([wants('1', '2')]);
    expect(log).toEqual(['title 1: body 1\ntitle 2: body 2']);
  });

  it('do not come when they are not wanted', () => {
    isOn = false;
    notices.update([wants('1')]);
    expect(log).toEqual([]);
  });

  it('lead to the session, and of a failure nothing is left once she is there', () => {
    notices.failed(ID, { id: 'failed', title: 'failed', body: 'now' });
    notices.update([wants('1')]);
    clicks[0]?.();
    notices.windowFocused();
    expect(log).toEqual(['failed: now', 'title 1: body 1', 'to s1', 'withdrawn failed']);
    notices.dispose();
    expect(log.at(-1)).toBe('withdrawn title 1');
  });
});

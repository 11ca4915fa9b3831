/** A layout as it is kept over a reload, and made anew from what was kept. Pure. */
import type { KeptNode } from '../../shared/kept-window.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { joined } from './layout-changes.ts';
import { UNDIVIDED, type GroupId, type LayoutNode, type PaneLayout, type TabGroup } from './pane-layout.ts';

type Sessions = readonly Pick<SessionInfo, 'id' | 'startedAtMs' | 'epoch' | 'state'>[];

/** What is kept of a layout; tabs of sessions that are not listed are left out. */
export function keptLayout({ root, activeGroup }: PaneLayout, sessions: Sessions): KeptNode {
  const listed = new Map(sessions.map((session) => [session.id, session]));
  const kept = (node: LayoutNode): KeptNode => {
    if (node.kind === 'split') {
      return { ...node, parts: node.parts.map((part) => ({ share: part.share, node: kept(part.node) })) };
    }
    const tabs = node.tabs.flatMap((id) => {
      const session = listed.get(id);
      if (session === undefined) {
        return [];
      }
      const { startedAtMs, epoch, state } = session;
      // Of one that could not start nothing was printed, and nothing is kept.
      return [state === 'failed' ? { id, startedAtMs } : { id, startedAtMs, epoch }];
    });
    return { kind: 'group', tabs, shown: node.shown, isActive: node.id === activeGroup };
  };
  return kept(root);
}

/**
 * The layout that was kept, with the tabs of those sessions that are still there, or there again. A group of which none is left is closed,
 * as it is when its sessions are closed; what is said twice, or makes no sense, counts once, or not at all.
 */
export function restoredLayout(root: KeptNode, sessions: Sessions): PaneLayout {
  const left = new Map(sessions.map((session) => [session.epoch, session]));
  const byId = new Map(sessions.map((session) => [session.id as string, session]));
  let count = 0;
  let active: GroupId | null = null;
  const restored = (node: KeptNode): LayoutNode | null => {
    if (node.kind === 'split') {
      const parts = node.parts.flatMap((part) => {
        const inside = restored(part.node);
        return inside === null ? [] : [{ node: inside, share: part.share }];
      });
      return joined(node.direction, parts);
    }
    let shown: SessionId | null = null;
    const tabs = node.tabs.flatMap(({ id, startedAtMs, epoch }): SessionId[] => {
      const session = left.get(epoch ?? byId.get(id)?.epoch ?? '');
      if (session?.startedAtMs !== startedAtMs) {
        return [];
      }
      left.delete(session.epoch);
      // It may have another id by now.
      shown = id === node.shown ? session.id : shown;
      return [session.id];
    });
    if (tabs.length === 0) {
      return null;
    }
    count += 1;
    const id: GroupId = `group-${count}`;
    active = node.isActive || active === null ? id : active;
    const group: TabGroup = {
      kind: 'group',
      id,
      tabs,
      shown: shown ?? tabs[0] ?? null,
    };
    return group;
  };
  const node = restored(root);
  return node === null || active === null ? UNDIVIDED : { root: node, activeGroup: active };
}

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { SessionInfo } from '../shared/session.ts';

/**
 * Where a new shell beside a session begins: in the folder that its shell is in or was last seen in, where that is not known
 * in the one that it was started in. `home` without a session, and where its folder is gone, cannot be entered, or is on
 * another machine.
 */
export async function folderBeside(
  session: Pick<SessionInfo, 'folder' | 'cwd'> | undefined,
  home: string,
): Promise<string> {
  const folder = session?.folder;
  const wanted = folder == null ? session?.cwd : folder.host === null ? folder.path : undefined;
  return wanted !== undefined && (await canBeEntered(wanted)) ? wanted : home;
}

async function canBeEntered(folder: string): Promise<boolean> {
  // In a workspace it is told relative to that.
  if (!isAbsolute(folder)) {
    return false;
  }
  try {
    await access(folder, constants.R_OK | constants.X_OK);
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Why one more pty session cannot be started, or null when there is a place (E8). `live` counts the sessions that are
 * starting or running: one that is being started holds its place from the moment it is asked for.
 */
export function noPtyPlace(live: number, maximum: number): string | null {
  return live < maximum
    ? null
    : `Maximum PTY sessions reached: ${live} of ${maximum} are live; close one, or start this one on pipes`;
}

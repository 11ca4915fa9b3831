/** The sandboxed preload: the only code that sees both Electron and the page. Built as one CommonJS file. */
import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from 'electron/renderer';
import { PANE_PORT_CHANNEL } from '../shared/ipc-names.ts';
import { relayPanePort } from './pane-port-relay.ts';
import { createWindowApi, type Ipc } from './window-api.ts';

const ipc: Ipc = {
  invoke: (channel, ...args) => ipcRenderer.invoke(channel, ...args),
  on(channel, listener) {
    const forward = (_event: IpcRendererEvent, payload: unknown): void => listener(payload);
    ipcRenderer.on(channel, forward);
    return () => ipcRenderer.off(channel, forward);
  },
};

ipcRenderer.on(PANE_PORT_CHANNEL, (event, message: unknown) => relayPanePort(window, message, event.ports));
contextBridge.exposeInMainWorld('shellscope', createWindowApi(ipc, process, pathOfFile));

/** Null for a file that a page made, and where Electron cannot tell. */
function pathOfFile(file: object): string | null {
  const utilities: Partial<typeof webUtils> | undefined = webUtils;
  const path = utilities?.getPathForFile?.(file as File) ?? '';
  return path === '' ? null : path;
}

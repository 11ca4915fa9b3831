import type { EnvironmentRequest, SandboxPolicy, StartRequest } from '../../engine/engine.ts';
import { sandboxFromContext } from './exec-sandbox.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/** What the engine is asked for by a `process/start`. */
export function startRequest(
  params: Params<'process/start'>,
  { requestId, clientName }: { readonly requestId: string | null; readonly clientName: string },
): StartRequest {
  const { processId, argv, cwd, tty, pipeStdin, arg0, metadata, shellscope } = params;
  return {
    argv,
    ...(requestId === null ? {} : { requestId }),
    limits: shellscope?.limits ?? {},
    cwd,
    environment: environmentRequest(params),
    backend: tty ? { kind: 'pty' } : { kind: 'pipe', stdin: pipeStdin },
    ...(arg0 === undefined || arg0 === null ? {} : { arg0 }),
    origin: {
      kind: 'agent',
      client: clientName,
      processId,
      threadId: metadata?.threadId ?? null,
      callId: metadata?.toolCallId ?? null,
    },
  };
}

/** The sandbox that is asked for. A fence that was asked for and is not there would be worse than none. */
export function enforcedSandbox(params: Params<'process/start'>): SandboxPolicy {
  const asked = (['managedNetwork', 'networkProxy'] as const).find(
    (name) => params[name] !== undefined && params[name] !== null,
  );
  if (asked !== undefined || params.enforceManagedNetwork) {
    throw new WireError(
      WireErrorCode.invalidParams,
      `this host cannot enforce \`${asked ?? 'enforceManagedNetwork'}\` and does not run the command without it; ` +
        'start the client without a sandbox (danger-full-access)',
    );
  }
  const mapped = sandboxFromContext(params.sandbox);
  if (mapped.kind === 'refused') {
    throw new WireError(WireErrorCode.invalidParams, mapped.why);
  }
  return mapped.policy;
}

function environmentRequest({ env, envPolicy }: Params<'process/start'>): EnvironmentRequest {
  return envPolicy === undefined || envPolicy === null
    ? { kind: 'exact', variables: env }
    : {
        kind: 'inherit',
        from: envPolicy.inherit,
        excludeCredentials: !envPolicy.ignoreDefaultExcludes,
        exclude: envPolicy.exclude,
        set: envPolicy.set,
        includeOnly: envPolicy.includeOnly,
        overlay: env,
      };
}

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { MockModel, ModelRequest } from './mock-model.ts';

/** What is looked at of a message of `codex app-server`: JSON-RPC without `jsonrpc`, one message a line (0.169). */
const messageSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
type Message = z.output<typeof messageSchema>;

const threadStarted = z.object({ thread: z.object({ id: z.string() }) });

const approvalSchema = z.object({ command: z.string(), reason: z.string().nullish() });

/** The real Codex as editors run it, with a person to ask whom the test plays. */
export class AttendedCodex {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #model: MockModel;
  readonly #ended: Promise<never>;
  readonly #closed: Promise<void>;
  /** What Codex said and nobody has looked for yet. */
  readonly #unseen: Message[] = [];
  readonly #waiting = new Set<() => void>();
  #nextId = 1;
  #stderr = '';

  constructor(child: ChildProcessWithoutNullStreams, model: MockModel) {
    this.#child = child;
    this.#model = model;
    child.stderr.setEncoding('utf8').on('data', (part: string) => (this.#stderr += part));
    // It may end before it has read everything, which its end tells.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#unseen.push(messageSchema.parse(JSON.parse(line)));
      for (const wake of this.#waiting) {
        wake();
      }
    });
    this.#closed = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
    this.#ended = this.#closed.then(() => {
      throw new Error(`Codex ended:\n${this.#stderr}`);
    });
    // Whoever waits for something of it learns of its end; until then nobody may.
    this.#ended.catch(() => {});
  }

  /** Opens a thread in which Codex asks the person where it wants more than its sandbox allows, and gives it a task. */
  async begin(cwd: string, task: string): Promise<void> {
    await this.#request('initialize', { clientInfo: { name: 'test', version: '0' } });
    this.#send({ method: 'initialized' });
    const thread = await this.#request('thread/start', { cwd, approvalPolicy: 'on-request' });
    const { id } = threadStarted.parse(thread.result).thread;
    await this.#request('turn/start', { threadId: id, input: [{ type: 'text', text: task }] });
  }

  /** What Codex asks its model next. */
  asked(): Promise<ModelRequest> {
    return Promise.race([this.#model.asked(), this.#ended]);
  }

  /** Answers Codex's next question whether it may run a command, and tells what it asked. */
  async decide(decision: 'accept' | 'decline'): Promise<z.output<typeof approvalSchema>> {
    const question = await this.#next(({ method }) => method === 'item/commandExecution/requestApproval');
    this.#send({ id: question.id, result: { decision } });
    return approvalSchema.parse(question.params);
  }

  async finished(): Promise<void> {
    await this.#next(({ method }) => method === 'turn/completed');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  async #request(method: string, params: object): Promise<Message> {
    const id = this.#nextId++;
    this.#send({ id, method, params });
    const answer = await this.#next((message) => message.id === id && message.method === undefined);
    if (answer.error !== undefined) {
      throw new Error(`${method}: ${answer.error.message}`);
    }
    return answer;
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** The first message of the kind that nobody has had yet. */
  async #next(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#unseen.findIndex(isWanted);
      const [found] = index === -1 ? [] : this.#unseen.splice(index, 1);
      if (found !== undefined) {
        return found;
      }
      let wake = () => {};
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#waiting.add(wake);
      try {
        await Promise.race([more, this.#ended]);
      } finally {
        this.#waiting.delete(wake);
      }
    }
  }
}

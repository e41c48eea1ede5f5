import { type Admin, AdminRefusal } from './admin.js';
import type { Settings } from './options.js';
import { namesOf } from './services.js';

const ANSWER_MS = 10_000;
/** Restate tries several times, and a machine that is off never answers. */
const REACH_MS = 60_000;
const DOING = 'looking for the workers that Restate calls';
/** Restate's code for an address where nobody answered. */
const UNREACHABLE = 'META0003';

interface Deployment {
  readonly id: string;
  readonly address: string;
}

/**
 * Restate calls the workers at one address for each name: the one that was registered last. Calls that have begun are
 * repeated where they began. So without a load balancer, a worker that dies takes its runs with it, unless another one
 * has Restate call itself instead.
 */
export class Callee {
  private readonly settings: Settings;
  private readonly admin: Admin;
  private readonly address: string;
  private readonly told = new Set<string>();

  constructor(settings: Settings, admin: Admin, address: string) {
    this.settings = settings;
    this.admin = admin;
    this.address = plain(address);
  }

  /** Takes the place of workers that Restate cannot reach any more, and says so if Restate calls only one of several. */
  async look(): Promise<void> {
    try {
      await this.compare();
    } catch (error) {
      // where Restate is away, whoever registers or hands it a run says so
      if (error instanceof AdminRefusal) this.settings.onProblem(error, DOING);
    }
  }

  private async compare(): Promise<void> {
    const others = (await this.deployments()).filter(({ address }) => address !== this.address);
    const alive: string[] = [];
    for (const address of new Set(others.map((each) => each.address))) {
      if (await this.isReachable(address)) alive.push(address);
      else await this.takeOver(others.filter((each) => each.address === address));
    }
    const current = await this.current();
    if (current === undefined) return;
    if (current !== this.address) this.tell(this.address, current);
    else for (const address of alive) this.tell(address, current);
  }

  private tell(uncalled: string, called: string): void {
    const both = `${uncalled} ${called}`;
    if (this.told.has(both)) return;
    this.told.add(both);
    const message = `Restate now calls only the worker at ${called}, and not the one at ${uncalled}. Set the same address on every worker: that of a load balancer in front of them.`;
    this.settings.onProblem(new Error(message), '');
  }

  private async takeOver(deployments: readonly Deployment[]): Promise<void> {
    for (const { id } of deployments)
      await this.admin.ask('PATCH', `/deployments/${id}`, { body: { uri: this.address }, withinMs: ANSWER_MS });
    this.told.clear(); // if the others come back, that is news again
    const message = `Restate cannot reach the worker at ${deployments[0]?.address}. It now calls the one at ${this.address} instead.`;
    this.settings.onProblem(new Error(message), '');
  }

  /** As Restate sees it: what this process can reach, Restate may not, and the other way round. */
  private async isReachable(address: string): Promise<boolean> {
    const body = { uri: address, force: true, dry_run: true };
    try {
      await this.admin.ask('POST', '/deployments', { body, withinMs: REACH_MS });
      return true;
    } catch (error) {
      if (error instanceof AdminRefusal) return error.code !== UNREACHABLE;
      throw error;
    }
  }

  /** The address that Restate calls now. */
  private async current(): Promise<string | undefined> {
    const { runs } = namesOf(this.settings);
    const { services = [] } = (await this.admin.ask('GET', '/services', { withinMs: ANSWER_MS })) as Services;
    const id = services.find(({ name }) => name === runs)?.deployment_id;
    return (await this.deployments()).find((each) => each.id === id)?.address;
  }

  /** Those that offer what this worker offers, also from earlier: calls that began there are repeated there. */
  private async deployments(): Promise<readonly Deployment[]> {
    const { runs } = namesOf(this.settings);
    const { deployments = [] } = (await this.admin.ask('GET', '/deployments', { withinMs: ANSWER_MS })) as Deployments;
    return deployments.flatMap(({ id, uri, services = [] }) =>
      id !== undefined && uri !== undefined && services.some(({ name }) => name === runs)
        ? [{ id, address: plain(uri) }]
        : [],
    );
  }
}

interface Services {
  readonly services?: readonly { readonly name?: string; readonly deployment_id?: string }[];
}

interface Deployments {
  readonly deployments?: readonly ({ readonly id?: string; readonly uri?: string } & Services)[];
}

/** As Restate writes it, but for the slash at its end. */
function plain(address: string): string {
  return new URL(address).href.replace(/\/$/, '');
}

import type { PlannedEvent } from '../mail/records.ts';
import { SesError } from '../protocol/ses-error.ts';
import type { EventDestination, State } from './state.ts';

const setName = /^[A-Za-z0-9_-]{1,64}$/;

const defaultConfigurationSet = 'posthaste';

const allEventTypes = ['SEND', 'DELIVERY', 'BOUNCE', 'COMPLAINT', 'OPEN', 'CLICK'];

export class ConfigurationSets {
  readonly #state: State;
  readonly #topicArn: string | null;

  private constructor(state: State, topicArn: string | null) {
    this.#state = state;
    this.#topicArn = topicArn;
  }

  static async open(state: State, topicArn: string | null): Promise<ConfigurationSets> {
    const sets = new ConfigurationSets(state, topicArn);
    await sets.#save(defaultConfigurationSet, {
      sns: { enabled: true, matchingEventTypes: allEventTypes, topicArn },
    });
    return sets;
  }

  /** @throws SesError BadRequestException for a malformed name, AlreadyExistsException for a known one */
  async create(name: string): Promise<void> {
    if (!setName.test(name))
      throw new SesError('BadRequestException', `Invalid configuration set name ${name}.`);
    if (this.#find(name) !== undefined) {
      throw new SesError('AlreadyExistsException', `Configuration set <${name}> already exists.`);
    }
    await this.#save(name, {});
  }

  /** Event destinations by name. @throws SesError NotFoundException */
  get(name: string): Record<string, EventDestination> {
    const destinations = this.#find(name);
    if (destinations === undefined) {
      throw new SesError('NotFoundException', `Configuration set <${name}> does not exist.`);
    }
    return destinations;
  }

  /** @throws SesError NotFoundException, AlreadyExistsException */
  async addDestination(name: string, destinationName: string, destination: EventDestination): Promise<void> {
    const destinations = this.get(name);
    if (Object.hasOwn(destinations, destinationName)) {
      throw new SesError('AlreadyExistsException', `Event destination <${destinationName}> already exists.`);
    }
    await this.#save(name, { ...destinations, [destinationName]: destination });
  }

  /**
   * Returns a filter for the planned events that a message sent with this set publishes; none without a set.
   * @throws SesError NotFoundException
   */
  publishedBy(name: string | null): (events: PlannedEvent[]) => PlannedEvent[] {
    const destinations = name === null ? [] : Object.values(this.get(name));
    const types = new Set(
      destinations
        .filter(({ enabled, topicArn }) => enabled && topicArn !== null && topicArn === this.#topicArn)
        .flatMap(({ matchingEventTypes }) => matchingEventTypes),
    );
    return (events) => events.filter(({ type }) => types.has(type.toUpperCase()));
  }

  #find(name: string): Record<string, EventDestination> | undefined {
    const { configurationSets } = this.#state.value;
    return Object.hasOwn(configurationSets, name) ? configurationSets[name] : undefined;
  }

  #save(name: string, destinations: Record<string, EventDestination>): Promise<void> {
    return this.#state.update((value) => ({
      ...value,
      configurationSets: { ...value.configurationSets, [name]: destinations },
    }));
  }
}

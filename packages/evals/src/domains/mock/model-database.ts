import { copyOf, typeName } from '../../tau2/python/equality.js';
import { dumpJson } from '../../tau2/python/json.js';
import { sha256Hex } from '../../tau2/python/sha.js';
import { type PyDict, PyError, type PyValue } from '../../tau2/python/value.js';
import type { Database } from '../../world/environment.js';
import type { Model } from '../../world/model.js';
import { filled, forbidden, type ModelType, misfitsOf } from './models.js';
import { type Misfit, validationError } from './validation.js';

type Shelf = Map<string, Model>;

/** A small database of models, by the name of what they are and by id. */
export class ModelDatabase implements Database {
  /** The reference's name of the class: its messages show it. */
  readonly className: string;
  readonly #types: Readonly<Record<string, ModelType>>;
  #shelves: ReadonlyMap<string, Shelf>;

  constructor(className: string, types: Readonly<Record<string, ModelType>>, content: PyValue) {
    this.className = className;
    this.#types = types;
    this.#shelves = this.#checked(content);
  }

  copy(): ModelDatabase {
    return new ModelDatabase(this.className, this.#types, this.dump());
  }

  /** A database that was shared by the other side has other shelves. */
  shelf(name: string): Shelf {
    const found = this.#shelves.get(name);
    if (found !== undefined) return found;
    throw new PyError('AttributeError', `'${this.className}' object has no attribute '${name}'`);
  }

  /** The model under a key that may be anything a caller wrote. */
  find(shelf: string, key: PyValue): Model | undefined {
    const models = this.shelf(shelf);
    if (Array.isArray(key) || key instanceof Map) {
      throw new PyError('TypeError', `unhashable type: '${typeName(key)}'`);
    }
    return typeof key === 'string' ? models.get(key) : undefined;
  }

  merge(patch: PyValue): void {
    this.#shelves = this.#checked(merged(this.dump(), patch));
  }

  hash(): string {
    return sha256Hex(dumpJson(this.dump(), { sortKeys: true }));
  }

  /** Everything, as the file has it. */
  dump(): PyDict {
    return new Map([...this.#shelves].map(([name, models]) => [name, new Map(models) as PyDict]));
  }

  #checked(content: PyValue): ReadonlyMap<string, Shelf> {
    const given = content instanceof Map ? content : new Map<string, PyValue>();
    const misfits = Object.entries(this.#types).flatMap(([name, type]) => misfitsOfShelf(name, type, given.get(name)));
    const extra = [...given]
      .filter(([name]) => !Object.hasOwn(this.#types, name))
      .map(([name, value]) => forbidden([name], value));
    if (misfits.length + extra.length > 0) throw validationError(this.className, [...misfits, ...extra]);
    return new Map(Object.entries(this.#types).map(([name, type]) => [name, shelfOf(type, given.get(name))]));
  }
}

function misfitsOfShelf(name: string, type: ModelType, value: PyValue | undefined): Misfit[] {
  if (value === undefined) return [];
  if (value instanceof Map) return [...value].flatMap(([id, model]) => misfitsOf(type, model, [name, id]));
  return [{ path: [name], problem: 'Input should be a valid dictionary', type: 'dict_type', value }];
}

function shelfOf(type: ModelType, value: PyValue | undefined): Shelf {
  const models: Shelf = new Map();
  if (value instanceof Map) for (const [id, model] of value) models.set(id, filled(type, copyOf(model as PyDict)));
  return models;
}

/** Objects merge key by key, everything else replaces. */
function merged(old: PyValue, patch: PyValue): PyValue {
  if (!(old instanceof Map) || !(patch instanceof Map)) return patch;
  const result: PyDict = new Map(old);
  for (const [key, value] of patch) result.set(key, merged(result.get(key) ?? null, value));
  return result;
}

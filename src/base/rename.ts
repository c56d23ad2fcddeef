// Objects with the same fields under other names.

type Data = null | boolean | number | string | readonly Data[] | DataRecord;

interface DataRecord {
  readonly [key: string]: Data;
}

/** The new name of each field, with the names inside of it where it is an object. */
export interface FieldNames {
  readonly [field: string]: string | readonly [string, FieldNames];
}

/** The object with new names. Fields that have none are together in `other`, so that nothing is lost. */
export function renameFields(value: DataRecord, names: FieldNames): DataRecord {
  const known: [string, Data][] = [];
  const other: [string, Data][] = [];
  for (const [field, each] of Object.entries(value)) {
    const name = Object.hasOwn(names, field) ? names[field] : undefined;
    if (name === undefined) other.push([field, each]);
    else if (typeof name === 'string') known.push([name, each]);
    else known.push([name[0], isObject(each) ? renameFields(each, name[1]) : each]);
  }
  return {
    ...Object.fromEntries(known),
    ...(other.length > 0 ? { other: Object.fromEntries(other) } : {}),
  };
}

/** Undoes `renameFields`. */
export function restoreFields(value: DataRecord, names: FieldNames): DataRecord {
  const { other, ...known } = value;
  const old = new Map<string, readonly [string, FieldNames?]>();
  for (const [field, name] of Object.entries(names)) {
    if (typeof name === 'string') old.set(name, [field]);
    else old.set(name[0], [field, name[1]]);
  }
  const fields = Object.entries(known).flatMap(([name, each]): [string, Data][] => {
    const [field, inside] = old.get(name) ?? [];
    if (field === undefined) return [];
    return [[field, inside && isObject(each) ? restoreFields(each, inside) : each]];
  });
  return { ...(isObject(other) ? other : {}), ...Object.fromEntries(fields) };
}

function isObject(value: Data | undefined): value is DataRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

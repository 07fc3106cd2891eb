# cranfield with its local page. Build: docker build -t cranfield .
# Use: docker run --rm -v "$PWD:/data" cranfield leaderboard qrels.txt runs/
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir '/src[web]' && rm -rf /src && useradd --create-home --uid 1000 reader
USER 1000
WORKDIR /data
ENTRYPOINT ["cranfield"]
CMD ["--help"]

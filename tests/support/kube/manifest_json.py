#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders a folder of deploy/kubernetes with Debian's kubectl and prints its objects as one JSON array. The YAML texts
of ConfigMaps become objects too.

usage: manifest_json.py FOLDER   run it with the system's Python, which has PyYAML
"""
import json
import sys

import yaml
from kubectl import debian_kubectl, rendered


def main(folder):
    objects = list(yaml.safe_load_all(rendered(debian_kubectl(), folder)))
    for one in objects:
        if one["kind"] == "ConfigMap":
            one["data"] = {name: yaml.safe_load(text) for name, text in one["data"].items()}
    print(json.dumps(objects))


if __name__ == "__main__":
    main(sys.argv[1])

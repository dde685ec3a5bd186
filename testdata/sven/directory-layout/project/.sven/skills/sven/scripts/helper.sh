#!/bin/sh
echo help
